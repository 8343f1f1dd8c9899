import { expect, test } from "vitest";
import { exited, instance, observed } from "../../testing/builders.ts";
import { withOomKills } from "./with-oom-kills.ts";

const reasonOf = (container: ReturnType<typeof instance>, killed = [container.id]) =>
  withOomKills(observed([container]), (id) => killed.includes(id)).containers[0]?.reason;

test("a container that exited with 137 after a kernel kill was OOM-killed", () => {
  expect(reasonOf(exited("c", { exitCode: 137, reason: "Error" }))).toBe("OOMKilled");
  expect(reasonOf(exited("c", { exitCode: 137, reason: "" }))).toBe("OOMKilled");
});

test("any other reason of the runtime is kept", () => {
  // Cases: killed by another process; a child was killed, and the container ended by itself; the
  // runtime has another reason; it runs.
  expect(reasonOf(exited("c", { exitCode: 137, reason: "Error" }), ["other"])).toBe("Error");
  expect(reasonOf(exited("c", { exitCode: 1, reason: "Error" }))).toBe("Error");
  expect(reasonOf(exited("c", { exitCode: 137, reason: "ContainerStatusUnknown" }))).toBe("ContainerStatusUnknown");
  expect(reasonOf(instance("c", { exitCode: 137, reason: "" }))).toBe("");
});
