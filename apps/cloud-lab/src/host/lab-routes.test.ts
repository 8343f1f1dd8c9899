import { silentLogger } from "@kintsugi/api";
import { expect, test } from "vitest";
import { LabRoutes } from "./lab-routes.ts";

const route = (index: number, address = `10.64.0.1${index}`) => ({
  cidr: `10.64.${index}.0/24`,
  target: `node-${index}`,
  address,
});

test("routes are created once, changed in place, and removed by their former address", async () => {
  const commands: string[] = [];
  let fails = true;
  const ip = async (args: readonly string[]) => {
    commands.push(args.slice(1).join(" "));
    if (fails) throw new Error("Cannot find device");
  };
  const routes = new LabRoutes({ log: silentLogger, ip }, { link: "kn" });
  await routes.apply([route(1)]);
  fails = false;
  // The first try failed, so the second try creates the route.
  for (let times = 0; times < 2; times++) await routes.apply([route(1)]);
  await routes.apply([route(1, "10.64.0.99"), route(2)]);
  await routes.apply([route(2)]);
  expect(commands).toEqual([
    "replace 10.64.1.0/24 via 10.64.0.11 dev kn",
    "replace 10.64.1.0/24 via 10.64.0.11 dev kn",
    "replace 10.64.1.0/24 via 10.64.0.99 dev kn",
    "replace 10.64.2.0/24 via 10.64.0.12 dev kn",
    "del 10.64.1.0/24 via 10.64.0.99 dev kn",
  ]);
});
