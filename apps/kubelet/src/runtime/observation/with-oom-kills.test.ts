import { expect, test } from "vitest";
import { exited, instance, observed } from "../../testing/builders.ts";
import { withOomKills } from "./with-oom-kills.ts";

const reasonOf = (container: ReturnType<typeof instance>, killed = [container.id]) =>
  withOomKills(observed([container]), (id) => killed.includes(id)).containers[0]?.reason;

test("a container that was killed, and in which the kernel has killed, was killed for its memory", () => {
  expect(reasonOf(exited("c", { exitCode: 137, reason: "Error" }))).toBe("OOMKilled");
  expect(reasonOf(exited("c", { exitCode: 137, reason: "" }))).toBe("OOMKilled");
});

test("what else the runtime knows is believed", () => {
  // Cases: killed by another process; a child was killed, and the container ended by itself; the
  // runtime has another reason; it runs.
  expect(reasonOf(exited("c", { exitCode: 137, reason: "Error" }), ["other"])).toBe("Error");
  expect(reasonOf(exited("c", { exitCode: 1, reason: "Error" }))).toBe("Error");
  expect(reasonOf(exited("c", { exitCode: 137, reason: "ContainerStatusUnknown" }))).toBe("ContainerStatusUnknown");
  expect(reasonOf(instance("c", { exitCode: 137, reason: "" }))).toBe("");
});
