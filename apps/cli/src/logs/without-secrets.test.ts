import { expect, test } from "vitest";
import { withoutValues } from "./without-secrets.ts";

test("a Secret keeps its keys and the sizes of its values, but not its values", () => {
  const secret = {
    kind: "Secret",
    metadata: {
      name: "s",
      annotations: {
        team: "a",
        "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"aHVudGVyMg=="}}',
      },
    },
    type: "Opaque",
    data: { password: "aHVudGVyMg==" },
    stringData: { plain: "hunter2" },
  };
  const exported = withoutValues(secret);
  expect(exported).toEqual({
    kind: "Secret",
    metadata: { name: "s", annotations: { team: "a" } },
    type: "Opaque",
    data: { password: "7 bytes, not exported" },
  });
  expect(JSON.stringify(exported)).not.toMatch(/hunter2|aHVudGVyMg/);
});

test("a Secret without data is exported as it is", () => {
  expect(withoutValues({ kind: "Secret", metadata: {} })).toEqual({ kind: "Secret", metadata: {} });
});
