import { describe, expect, test } from "vitest";
import { stripImpersonation, wantedUser } from "./impersonation-headers.ts";
import type { UserInfo } from "../authorization/authorization.ts";
import { userFieldsOf } from "../authorization/user-fields.ts";
import { type CallOptions, podsPath, TestServer } from "../testing/test-server.ts";

const { signal } = new AbortController();
const alice: UserInfo = { name: "alice", groups: ["developers"] };
const whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";

/** Grants alice these rights in the whole cluster. */
async function allowing(...rules: object[]): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post(`${rbac}/clusterroles`, { metadata: { name: "acting" }, rules });
  await server.post(`${rbac}/clusterrolebindings`, {
    metadata: { name: "acting" },
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name: "acting" },
    subjects: [{ kind: "User", apiGroup: rbacGroup, name: "alice" }],
  });
  return server;
}

const mayImpersonate = (resources: string[], resourceNames: string[], apiGroup = "") => ({
  apiGroups: [apiGroup],
  resources,
  verbs: ["impersonate"],
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
});

const actingAs = (...rawHeaders: string[]): CallOptions => ({ user: alice, rawHeaders });
const userOf = async (server: TestServer, options: CallOptions) =>
  (await server.post(whoami, {}, options)).json.status?.userInfo as object;

describe("an impersonating caller", () => {
  const table: [string, string[], object][] = [
    ["a user is authenticated", ["Impersonate-User", "bob"], { username: "bob", groups: ["system:authenticated"] }],
    [
      "groups are those that are named, one by one, whatever is in their names",
      ["Impersonate-User", "bob", "Impersonate-Group", "a, b", "impersonate-group", "c"],
      { username: "bob", groups: ["a, b", "c", "system:authenticated"] },
    ],
    [
      "who is said to have proved nothing has not",
      ["Impersonate-User", "bob", "Impersonate-Group", "system:unauthenticated"],
      { username: "bob", groups: ["system:unauthenticated"] },
    ],
    [
      "nobody is nobody",
      ["Impersonate-User", "system:anonymous"],
      { username: "system:anonymous", groups: ["system:unauthenticated"] },
    ],
    [
      "a service account has its groups",
      ["Impersonate-User", "system:serviceaccount:shop:till"],
      {
        username: "system:serviceaccount:shop:till",
        groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
      },
    ],
    [
      "a service account with groups has those",
      ["Impersonate-User", "system:serviceaccount:shop:till", "Impersonate-Group", "x"],
      { username: "system:serviceaccount:shop:till", groups: ["x", "system:authenticated"] },
    ],
    [
      "a UID and extras are taken too, keys unescaped",
      [
        "Impersonate-User",
        "bob",
        "Impersonate-Uid",
        "u-1",
        "Impersonate-Extra-Example.com%2fScope",
        "view",
        "Impersonate-Extra-example.com%2Fscope",
        "edit",
        "Impersonate-Extra-bad%zz",
        "x",
      ],
      {
        username: "bob",
        uid: "u-1",
        groups: ["system:authenticated"],
        extra: { "example.com/scope": ["view", "edit"], "bad%zz": ["x"] },
      },
    ],
    [
      "names are UTF-8",
      ["Impersonate-User", Buffer.from("jürgen").toString("latin1")],
      { username: "jürgen", groups: ["system:authenticated"] },
    ],
  ];
  test.each(table)("%s", (_what, headers, user) => {
    const rawHeaders = ["Accept", "application/json", ...headers];
    const names = headers
      .filter((_, index) => index % 2 === 0)
      .map((name): [string, string] => [name.toLowerCase(), ""]);
    const request = { method: "GET", path: "/", headers: Object.fromEntries(names), rawHeaders, signal };
    const wanted = wantedUser(request);
    expect(wanted && userFieldsOf(wanted.user)).toEqual(user);
    stripImpersonation(request);
    expect(request).toMatchObject({ headers: {}, rawHeaders: undefined });
  });

  test("is reported as the impersonated user by a review of itself", async () => {
    await using server = await TestServer.start();
    const options = { rawHeaders: ["Impersonate-User", "bob", "Impersonate-Group", "a, b", "Impersonate-Group", "c"] };
    const { json } = await server.post(whoami, {}, options);
    expect(json.status.userInfo).toEqual({ username: "bob", groups: ["a, b", "c", "system:authenticated"] });
  });

  test("has the rights of the impersonated user and not its own rights", async () => {
    await using server = await allowing(mayImpersonate(["users"], ["bob"]), {
      apiGroups: [""],
      resources: ["pods"],
      verbs: ["list", "watch"],
    });
    expect((await server.get(podsPath, { user: alice })).status).toBe(200);
    const refused = await server.get(podsPath, actingAs("Impersonate-User", "bob"));
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    ]);
    const watched = await server.get(`${podsPath}?watch=1`, actingAs("Impersonate-User", "bob"));
    expect(watched.json.message).toContain('User "bob" cannot watch resource "pods"');
    // An administrator also loses their own rights.
    const rawHeaders = ["Impersonate-User", "bob"];
    expect((await server.get(podsPath, { rawHeaders })).status).toBe(403);
    expect(
      (await server.get(podsPath, { rawHeaders: [...rawHeaders, "Impersonate-Group", "system:masters"] })).status,
    ).toBe(200);
  });

  test("cannot open a stream without the impersonated user's permission", async () => {
    await using server = await allowing(mayImpersonate(["users"], ["bob"]));
    const answer = await server.get(`${podsPath}/web/exec?command=sh`, {
      ...actingAs("Impersonate-User", "bob"),
      upgrade: "websocket",
    });
    expect([answer.status, answer.json.message]).toEqual([
      403,
      'pods "web" is forbidden: User "bob" cannot get resource "pods/exec" in API group "" in the namespace "default"',
    ]);
  });

  test("owns the fields that it writes under the program's name, as without impersonation", async () => {
    await using server = await TestServer.start();
    const options = { rawHeaders: ["Impersonate-User", "bob", "Impersonate-Group", "system:masters"] };
    const created = await server.post(
      "/api/v1/namespaces/default/configmaps",
      { metadata: { name: "c" }, data: { a: "b" } },
      options,
    );
    expect(created.json.metadata.managedFields[0].manager).toBe("test");
  });
});

describe("needs permission for every claimed attribute", () => {
  const users = mayImpersonate(["users"], ["bob"]);
  const groups = mayImpersonate(["groups"], ["developers"]);
  const accounts = mayImpersonate(["serviceaccounts"], ["till"]);
  const scopes = mayImpersonate(["userextras/scopes"], ["view"], "authentication.k8s.io");
  const uids = mayImpersonate(["uids"], ["u-1"], "authentication.k8s.io");
  const all = [users, groups, accounts, scopes, uids];

  test("has every claimed attribute after authorization", async () => {
    await using server = await allowing(...all);
    const options = actingAs(
      "Impersonate-User",
      "bob",
      "Impersonate-Group",
      "developers",
      "Impersonate-Extra-Scopes",
      "view",
      "Impersonate-Uid",
      "u-1",
    );
    expect(await userOf(server, options)).toEqual({
      username: "bob",
      uid: "u-1",
      groups: ["developers", "system:authenticated"],
      extra: { scopes: ["view"] },
    });
    const account = await userOf(server, actingAs("Impersonate-User", "system:serviceaccount:shop:till"));
    expect(account).toMatchObject({ username: "system:serviceaccount:shop:till" });
  });

  const cannot = (what: string, name: string, group = "", where = "at the cluster scope") =>
    `${what.split("/")[0]}${group === "" ? "" : `.${group}`} ${JSON.stringify(name)} is forbidden: User "alice" cannot impersonate resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
  const table: [string, string[], string][] = [
    ["another user", ["Impersonate-User", "carol"], cannot("users", "carol")],
    [
      "another group",
      ["Impersonate-User", "bob", "Impersonate-Group", "developers", "Impersonate-Group", "system:masters"],
      cannot("groups", "system:masters"),
    ],
    [
      "a group that is joined from two",
      ["Impersonate-User", "bob", "Impersonate-Group", "developers, system:masters"],
      cannot("groups", "developers, system:masters"),
    ],
    [
      "another account",
      ["Impersonate-User", "system:serviceaccount:shop:admin"],
      cannot("serviceaccounts", "admin", "", 'in the namespace "shop"'),
    ],
    [
      "a user name that only resembles an account",
      ["Impersonate-User", "system:serviceaccount:shop:till:x"],
      cannot("users", "system:serviceaccount:shop:till:x"),
    ],
    [
      "another extra",
      ["Impersonate-User", "bob", "Impersonate-Extra-Scopes", "edit"],
      cannot("userextras/scopes", "edit", "authentication.k8s.io"),
    ],
    [
      "another UID",
      ["Impersonate-User", "bob", "Impersonate-Uid", "u-2"],
      cannot("uids", "u-2", "authentication.k8s.io"),
    ],
  ];
  test.each(table)("%s is refused", async (_what, headers, message) => {
    await using server = await allowing(...all);
    const answer = await server.post(whoami, {}, actingAs(...headers));
    expect([answer.status, answer.json.reason, answer.json.message]).toEqual([403, "Forbidden", message]);
  });

  test("cannot impersonate a group without a user", async () => {
    await using server = await TestServer.start();
    const without = (...rawHeaders: string[]) => server.get(podsPath, { rawHeaders });
    expect((await without("Impersonate-Group", "developers")).json).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: "requested [{Group  developers    }] without impersonating a user",
    });
    const rest = await without("Impersonate-Extra-Scopes", "view", "Impersonate-Uid", "u");
    expect(rest.json.message).toBe(
      "requested [{UserExtra  view  authentication.k8s.io/v1  scopes} {UID  u  authentication.k8s.io/v1  }] without impersonating a user",
    );
    // An empty name impersonates no user.
    expect((await without("Impersonate-User", "")).status).toBe(200);
  });

  test("cannot claim a thousand attributes at the same time", async () => {
    await using server = await TestServer.start();
    const headers = Array.from({ length: 501 }, (_, i) => ["Impersonate-Group", `g${i}`]).flat();
    const answer = await server.get(podsPath, { rawHeaders: ["Impersonate-User", "bob", ...headers] });
    expect(answer.json.message).toBe("a request may impersonate at most 500 groups and extras");
  });

  test("cannot impersonate without authentication", async () => {
    await using server = await TestServer.start();
    const rawHeaders = ["Impersonate-User", "bob"];
    expect((await server.get(podsPath, { user: undefined, rawHeaders })).status).toBe(401);
    const version = await server.get("/version", { user: undefined, rawHeaders });
    expect([version.status, version.json.message]).toEqual([
      403,
      'users "bob" is forbidden: User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
  });
});

test.each([
  ["X-Remote-User", "admin"],
  ["X-Remote-Group", "system:masters"],
  ["X-Remote-Extra-Scopes", "all"],
])("%s is never trusted, for any sender", async (name, value) => {
  await using server = await TestServer.start();
  const rawHeaders = ["X-Remote-User", "admin", "X-Remote-Group", "system:masters", name, value];
  expect((await server.get(podsPath, { user: alice, rawHeaders })).status).toBe(403);
  expect((await server.get(podsPath, { user: undefined, rawHeaders })).status).toBe(401);
  expect(await userOf(server, { user: alice, rawHeaders })).toEqual({
    username: "alice",
    groups: ["developers", "system:authenticated"],
  });
});
