import { expect, test } from "vitest";
import { subPathOf } from "./sub-path.ts";

const env = new Map([
  ["POD_NAME", "web-0"],
  ["UP", ".."],
  ["ROOT", "/etc"],
]);
const mount = (fields: { subPath?: string; subPathExpr?: string }) => ({ name: "v", mountPath: "/v", ...fields });

test.each([
  [{}, undefined],
  [{ subPath: "" }, undefined],
  [{ subPath: "a/b" }, "a/b"],
  [{ subPath: "a..b" }, "a..b"],
  [{ subPath: "$(POD_NAME)" }, "$(POD_NAME)"],
  [{ subPathExpr: "logs/$(POD_NAME)" }, "logs/web-0"],
  [{ subPathExpr: "$$(POD_NAME)" }, "$(POD_NAME)"],
])("%j mounts %j", (fields, expected) => {
  expect(subPathOf(mount(fields), env)).toBe(expected);
});

test.each([
  [{ subPath: "/etc" }, "error SubPath `/etc` must not be an absolute path"],
  [{ subPath: "a/../../b" }, "unable to provision SubPath `a/../../b`: must not contain '..'"],
  [{ subPathExpr: "$(UP)/x" }, "unable to provision SubPath `../x`: must not contain '..'"],
  [{ subPathExpr: "$(ROOT)" }, "error SubPath `/etc` must not be an absolute path"],
  [{ subPathExpr: "a/$(MISSING)" }, 'missing value for "MISSING"'],
])("%j is rejected: %s", (fields, message) => {
  expect(() => subPathOf(mount(fields), env)).toThrow(message);
});
