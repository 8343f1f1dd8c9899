import { expect, test } from "vitest";
import { etcdVersionFault } from "./etcd-version.ts";

test.each(["3.5.21", "3.5.30", "3.6.0", "4.0.1-rc.0", "3.7.1"])("etcd %s is recent enough", (version) => {
  expect(etcdVersionFault(version)).toBeUndefined();
});

test.each(["3.4.23", "3.5.20", "2.3.8", "3.5.16+dfsg"])("etcd %s is for tests and labs", (version) => {
  expect(etcdVersionFault(version)).toContain("run 3.5.21 or newer");
});

test("a version that is none is named", () => {
  expect(etcdVersionFault("")).toContain("is not known");
});
