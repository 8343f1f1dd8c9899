import { expect, test } from "vitest";
import { connectionFailureText } from "./connection-failure-text.ts";

test.each([
  ["CERT_HAS_EXPIRED", "certificate has expired"],
  ["CERT_NOT_YET_VALID", "certificate is not yet valid"],
])("a certificate that is not valid now (%s) is reported with the clocks of both machines", (code, message) => {
  expect(connectionFailureText(Object.assign(new Error(message), { code }))).toBe(
    `${message}, by the clock of this machine: compare it with the server's clock, or renew the certificate`,
  );
});

test("other failures keep their text", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
  expect(connectionFailureText(refused)).toBe("connect ECONNREFUSED 127.0.0.1:1");
});
