import { expect, test } from "vitest";
import { etcdVersionFault, etcdVersionRefusal } from "./etcd-version.ts";

test.each(["3.5.21", "3.5.30", "3.6.0", "4.0.1-rc.0", "3.7.1"])("etcd %s is recent enough", (version) => {
  expect(etcdVersionFault(version)).toBeUndefined();
});

test.each(["3.4.23", "3.5.20", "2.3.8", "3.5.16+dfsg"])("etcd %s is for tests and labs", (version) => {
  expect(etcdVersionFault(version)).toContain("run 3.5.21 or newer");
});

test.each(["2.3.8", "3.3.27"])("etcd %s is rejected with the version to run", (version) => {
  expect(etcdVersionRefusal(version)).toBe(
    `etcd ${version} is too old: it cannot send large changes in parts; run 3.5.21 or newer`,
  );
});

test.each(["3.4.0", "3.4.23", "3.6.0", "", "next"])("etcd %s is not rejected", (version) => {
  expect(etcdVersionRefusal(version)).toBeUndefined();
});

test("an invalid version is named", () => {
  expect(etcdVersionFault("")).toContain("is unknown");
});
