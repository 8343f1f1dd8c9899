import { expect, test } from "vitest";
import { commandWords, execPath } from "./remote-command.ts";

test("a command in a container has a path that preserves names and words", () => {
  const pod = { kind: "Pod", namespace: "shop", name: "web/../x" };
  expect(execPath(pod, "main", ["sh", "-c", "echo a&command=b"])).toBe(
    "/api/v1/namespaces/shop/pods/web%2F..%2Fx/exec?container=main&stdin=true&stdout=true&tty=true" +
      "&command=sh&command=-c&command=echo+a%26command%3Db",
  );
  expect(commandWords("  ls  -l /tmp ")).toEqual(["ls", "-l", "/tmp"]);
});
