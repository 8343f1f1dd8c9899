import { expect, test } from "vitest";
import { parseResolvConf } from "./resolv-conf.ts";

test("a resolv.conf is parsed as resolvers parse it", () => {
  const text =
    "# nameserver 9.9.9.9\nnameserver 10.0.0.2 \n;x\nnameserver\tfe80::1\nsearch a.b. .\nsearch c.d. .\noptions ndots:1 rotate\noptions ndots:3\n";
  expect(parseResolvConf(text)).toEqual({
    servers: ["10.0.0.2", "fe80::1"],
    searches: ["c.d", "."],
    options: ["ndots:3", "rotate"],
  });
});
