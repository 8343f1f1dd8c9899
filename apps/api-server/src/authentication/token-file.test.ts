import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { parseTokenFile } from "./token-file.ts";

test("tokens name their users, with groups in a single quoted field", () => {
  const find = parseTokenFile(
    't-1,alice,u-1,"developers, admins"\n# a comment\n\nt-2,bob,,\r\n"t,3","c ""d""",u-3\n',
    "t.csv",
  );
  expect(find("t-1")).toEqual({ name: "alice", uid: "u-1", groups: ["developers", "admins", "system:authenticated"] });
  expect(find("t-2")).toEqual({ name: "bob", groups: ["system:authenticated"] });
  expect(find("t,3")).toMatchObject({ name: 'c "d"', uid: "u-3" });
  expect(find("t")).toBeUndefined();
});

test.each([
  ["secret,alice", "t.csv:1: token file must have at least 3 columns (token, user name, user uid)"],
  ["a,b,c\n,alice,u", "t.csv:2: empty token has been found in token file"],
  ["secret,,u", "t.csv:1: the user name is empty"],
  ["secret,a,1\nsecret,b,2", "t.csv:2: duplicate token has been found in token file"],
  ['secret,a,1,"x', "t.csv:1: a quote is not closed"],
  ['secret,a,1,"x"y', "t.csv:1: a quote is not closed"],
])("%j: %s", (text, message) => {
  expect(() => parseTokenFile(text, "t.csv")).toThrow(message);
  expect(() => parseTokenFile(text, "t.csv")).not.toThrow("secret");
});

test("a server authenticates a caller by a token of the file and rejects other tokens", async () => {
  const staticTokens = parseTokenFile("t-1,alice,u-1,system:masters\n", "t.csv");
  await using server = await TestServer.start({}, { staticTokens });
  const withToken = (token: string) => ({ user: undefined, headers: { authorization: `Bearer ${token}` } });
  expect((await server.get("/api/v1/namespaces", withToken("t-1"))).status).toBe(200);
  expect((await server.get("/api/v1/namespaces", withToken("t-2"))).status).toBe(401);
});
