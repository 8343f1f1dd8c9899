import { expect, test } from "vitest";
import { planDnsRules } from "./docker-dns.ts";

/** As `iptables-save -t nat` shows them in a container of Docker 20.10. */
const rules = `*nat
:DOCKER_OUTPUT - [0:0]
-A OUTPUT -d 127.0.0.11/32 -j DOCKER_OUTPUT
-A DOCKER_OUTPUT -d 127.0.0.11/32 -p tcp -m tcp --dport 53 -j DNAT --to-destination 127.0.0.11:38807
-A DOCKER_OUTPUT -d 127.0.0.11/32 -p udp -m udp --dport 53 -j DNAT --to-destination 127.0.0.11:41335
-A DOCKER_POSTROUTING -s 127.0.0.11/32 -p udp -m udp --sport 41335 -j SNAT --to-source :53
COMMIT`;

test("what pods and the node ask of the node goes where Docker answers", () => {
  expect(planDnsRules(rules, "10.64.0.11").map((rule) => rule.join(" "))).toEqual([
    "-A PREROUTING -d 10.64.0.11/32 -p tcp --dport 53 -j DNAT --to-destination 127.0.0.11:38807",
    "-A OUTPUT -d 10.64.0.11/32 -p tcp --dport 53 -j DNAT --to-destination 127.0.0.11:38807",
    "-A PREROUTING -d 10.64.0.11/32 -p udp --dport 53 -j DNAT --to-destination 127.0.0.11:41335",
    "-A OUTPUT -d 10.64.0.11/32 -p udp --dport 53 -j DNAT --to-destination 127.0.0.11:41335",
  ]);
});

test("without Docker's rules nothing is made up", () => {
  expect(() => planDnsRules("*nat\nCOMMIT", "10.64.0.11")).toThrow("are not among those that iptables-save shows");
});
