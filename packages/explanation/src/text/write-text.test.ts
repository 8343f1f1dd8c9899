import { expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import { aNode, aPod, at, aWorld, inState, nowMs } from "../testing/objects.ts";
import { explanationText } from "./write-text.ts";

test("an explanation starts with the state and ends with the command", () => {
  const waiting = {
    reason: "CrashLoopBackOff",
    message: "back-off 40s restarting failed container=c pod=p_default(u)",
  };
  const lastState = { terminated: { exitCode: 3, finishedAt: at(-15) } };
  const pod = aPod("p", { status: inState({ waiting }, { lastState, restartCount: 1 }) });
  const explanation = explainObject("pods", pod, { world: aWorld({ nodes: [aNode("n1")] }), unread: ["events: no."] });
  expect(explanationText(explanation, nowMs)).toEqual([
    "Pod default/p: Running on node n1, not ready since 2025-12-31T23:59:40Z.",
    "",
    "1. Container c keeps ending: it ended with code 3; it was restarted 1 time.",
    "   Waits for: the end of its back-off of 40s",
    "   Due: in 25s, at 2026-01-01T00:00:25Z (restart back-off)",
    "   Next: The kubelet starts it again; if it ends again, the next wait is 1m20s.",
    "   You can: Read the output of its previous run:",
    "     kubectl -n default logs p -c c --previous",
    "   You can: Restart the whole pod now, without waiting, after you have fixed the cause:",
    "     kubectl -n default delete pod p",
    "",
    "Not read: events: no.",
  ]);
});

test("no text of an object reaches the terminal as more than one line, or moves its cursor", () => {
  const message = "\u001b[2J\u001b]0;owned\u0007first\nsecond\r\u202ethird\u2028fourth";
  const pod = aPod("p", { status: inState({ waiting: { reason: "CreateContainerError", message } }) });
  const lines = explanationText(explainObject("pods", pod, { world: aWorld({ nodes: [aNode("n1")] }) }), nowMs);
  expect(lines.join("|")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(lines.join("|")).toContain("first second third fourth");
});

test("a long text is truncated", () => {
  const pod = aPod("p", { status: { phase: "Failed", reason: "Evicted", message: "x".repeat(100_000) } });
  const [, , because = ""] = explanationText(explainObject("pods", pod, { world: aWorld() }), nowMs);
  expect(because.length).toBeLessThan(400);
});

test("an empty explanation is reported in a sentence", () => {
  const lines = explanationText(explainObject("pods", aPod("p"), { world: aWorld({ nodes: [aNode("n1")] }) }), nowMs);
  expect(lines).toEqual([
    "Pod default/p: Running on node n1, ready.",
    "It does not wait for anything, and no problem was found.",
  ]);
});
