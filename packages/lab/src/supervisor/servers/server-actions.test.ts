import { expect, test } from "vitest";
import { healthyServer, type ServerState } from "../../cluster/component.ts";
import { planServerAction, serverActions } from "./server-actions.ts";

const off: ServerState = { power: "off", link: "down" };

test("a killed server loses its power, its cable, and its cut", () => {
  expect(planServerAction({ name: "server-1", cluster: "lab" }, { ...healthyServer, cut: "etcd" }, "kill")).toEqual({
    to: off,
    losesPower: true,
  });
});

test.each(["return", "heal"] as const)("%s undoes every fault of a server", (action) => {
  const faulty: ServerState = { power: "on", link: "down", cut: "servers" };
  expect(planServerAction({ name: "server-1", cluster: "lab" }, faulty, action)).toEqual({ to: healthyServer });
});

test("a restart keeps every fault", () => {
  const faulty: ServerState = { power: "on", link: "up", cut: "nats" };
  expect(planServerAction({ name: "server-1", cluster: "lab" }, faulty, "restart")).toEqual({
    to: faulty,
    restarts: true,
  });
});

test("a server has one cut at a time, and keeps it next to a disconnected cable", () => {
  const cut = planServerAction({ name: "server-1", cluster: "lab" }, healthyServer, "partition-etcd");
  expect(cut).toEqual({ to: { power: "on", link: "up", cut: "etcd" } });
  expect(
    planServerAction({ name: "server-1", cluster: "lab" }, { power: "on", link: "up", cut: "etcd" }, "partition-nats"),
  ).toEqual({
    to: { power: "on", link: "up", cut: "nats" },
  });
  expect(
    planServerAction({ name: "server-1", cluster: "lab" }, { power: "on", link: "up", cut: "etcd" }, "partition"),
  ).toEqual({
    to: { power: "on", link: "down", cut: "etcd" },
  });
});

test("a server that is off can only be killed again or restored", () => {
  const refused = serverActions.flatMap((action) => {
    const plan = planServerAction({ name: "server-1", cluster: "lab" }, off, action);
    return "refused" in plan ? [[action, plan.refused]] : [];
  });
  expect(refused).toEqual(
    ["partition", "partition-etcd", "partition-nats", "partition-servers", "heal", "restart"].map((action) => [
      action,
      "server-1 is off: bring it back first with `kintsugi server return server-1 --name lab`",
    ]),
  );
});
