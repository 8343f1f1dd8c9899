import { expect, test } from "vitest";
import { findArgFault } from "./check-args.ts";

const help = `Usage: scheduler [options]

Options:
  --config <file>               All of this as a file
  --leader-elect [boolean]      Work only while this process holds the Lease
  -h, --help                    display help for command
`;

test("known flags of a program are accepted", () => {
  expect(findArgFault(["leader-elect=false", "config=/a=b"], { help, complaint: "" })).toBeUndefined();
});

test("an unknown flag is named with the nearest known flag", () => {
  expect(findArgFault(["leader-elect=true", "leader-elekt=false"], { help, complaint: "" })).toBe(
    "leader-elekt=false: there is no flag --leader-elekt (did you mean --leader-elect?)",
  );
});

test("a value that a program does not accept is rejected in the program's words", () => {
  const complaint = `scheduler: option '--leader-elect [boolean]' argument 'x' is invalid. "x" is neither true nor false. (see scheduler --help)`;
  expect(findArgFault(["leader-elect=x"], { help: "", complaint })).toBe(
    `'--leader-elect [boolean]' argument 'x' is invalid. "x" is neither true nor false.`,
  );
});
