import { celMethod, CelScalar, listType } from "@bufbuild/cel";
import { RE2JS } from "re2js";

const { STRING, INT } = CelScalar;

/** All matches, or so many of them; RE2 finds each in linear time. */
function matchesOf(text: string, pattern: string, max: number): string[] {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const found: string[] = [];
  while ((max < 0 || found.length < max) && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}

export const regexFunctions = [
  celMethod("find", STRING, [STRING], STRING, function (pattern) {
    return matchesOf(this, pattern, 1)[0] ?? "";
  }),
  celMethod("findAll", STRING, [STRING], listType(STRING), function (pattern) {
    return matchesOf(this, pattern, -1) as never;
  }),
  celMethod("findAll", STRING, [STRING, INT], listType(STRING), function (pattern, max) {
    return matchesOf(this, pattern, Number(max)) as never;
  }),
];
