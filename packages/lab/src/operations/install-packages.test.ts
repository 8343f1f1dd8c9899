import { expect, test } from "vitest";
import { installPackages } from "./install-packages.ts";

const chromium = { anyOf: ["chromium"], package: "chromium", because: "pages" };
const etcd = { anyOf: ["etcd"], package: "etcd-server", because: "servers", service: "etcd" };
const haproxy = { anyOf: ["haproxy"], package: "haproxy", because: "servers", service: "haproxy" };

/**
 * A fake apt whose archive lacks some packages, and that fails as a whole when such a package is
 * requested.
 */
function aptWithout(lacking: readonly string[]) {
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(" ").replace(/^apt-get .*(update|--no-install-recommends)/, "apt $1"));
    const unknown = args.find((arg) => lacking.includes(arg));
    if (unknown !== undefined) throw new Error(`E: Package '${unknown}' has no installation candidate`);
  };
  return { ran, run };
}

test("packages are installed concurrently, and their services are stopped", async () => {
  const { ran, run } = aptWithout([]);
  expect(await installPackages(run, [chromium, etcd])).toEqual([]);
  expect(ran).toEqual(["apt update -qq", "apt --no-install-recommends chromium etcd-server", "service etcd stop"]);
});

test("a package that the distribution lacks does not prevent the other packages", async () => {
  const { ran, run } = aptWithout(["chromium"]);
  expect(await installPackages(run, [chromium, etcd, haproxy])).toEqual([
    { package: "chromium", because: "E: Package 'chromium' has no installation candidate" },
  ]);
  expect(ran.slice(2)).toEqual([
    "apt --no-install-recommends chromium",
    "apt --no-install-recommends etcd-server",
    "apt --no-install-recommends haproxy",
    "service etcd stop",
    "service haproxy stop",
  ]);
});

test("nothing is run if nothing is missing", async () => {
  const { ran, run } = aptWithout([]);
  expect(await installPackages(run, [])).toEqual([]);
  expect(ran).toEqual([]);
});
