import { describe, expect, test } from "vitest";
import { inputMessage, readCommandMessage, sizeMessage } from "./command-messages.ts";

const message = (channel: number, text: string) => new Uint8Array([channel, ...new TextEncoder().encode(text)]);
const endOf = (status: unknown) => readCommandMessage(message(3, JSON.stringify(status)));

describe("a command in a container", () => {
  test("sends input and sizes by their channels", () => {
    expect([...inputMessage(new Uint8Array([104, 105]))]).toEqual([0, 104, 105]);
    const size = sizeMessage({ columns: 80, rows: 24 });
    expect(size[0]).toBe(4);
    expect(new TextDecoder().decode(size.subarray(1))).toBe('{"Width":80,"Height":24}');
  });

  test("reads output, and ignores empty messages and unknown channels", () => {
    expect(readCommandMessage(message(1, "a"))).toEqual({ is: "output", bytes: new Uint8Array([97]) });
    expect(readCommandMessage(message(2, "a"))).toMatchObject({ is: "output" });
    for (const nothing of [message(1, ""), message(7, "a"), new Uint8Array()])
      expect(readCommandMessage(nothing)).toEqual({ is: "nothing" });
  });

  test.each([
    [{ status: "Success" }, "The command ended."],
    [
      { status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] } },
      "The command ended with exit code 3.",
    ],
    [{ status: "Failure", message: "pods is forbidden" }, "The command was refused: pods is forbidden"],
    [{ status: "Failure", details: { causes: "none" } }, "The command failed."],
    [null, "The command failed."],
  ])("converts the outcome %j to a sentence", (status, text) => {
    expect(endOf(status)).toEqual({ is: "end", text });
  });

  test("accepts an outcome that is not JSON", () => {
    expect(readCommandMessage(message(3, "{"))).toEqual({
      is: "end",
      text: "The command ended, and its outcome cannot be read.",
    });
  });
});
