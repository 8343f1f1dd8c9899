import { expect, test } from "vitest";
import { execCommand, explainCommand, logsCommand } from "./commands.ts";

test("commands quote names that a shell would interpret", () => {
  const pod = { kind: "Pod", namespace: "a", name: "web" };
  expect(logsCommand(pod, { container: "c", previous: true })).toBe("kubectl -n a logs web -c c --previous");
  expect(execCommand({ ...pod, name: "x;rm -rf '/'" }, "c", ["sh"])).toBe(
    "kubectl -n a exec -it 'x;rm -rf '\\''/'\\''' -c c -- sh",
  );
  expect(explainCommand(pod)).toBe("kintsugi explain pod web -n a");
});
