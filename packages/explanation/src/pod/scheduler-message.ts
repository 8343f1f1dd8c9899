import { sentence, singleLine } from "../words/phrases.ts";

/**
 * Lists the reasons in the message of a PodScheduled condition, if only the message is known: "0/3
 * nodes are available: 1 …, 2 …. preemption: …".
 */
export function reasonsInSchedulerMessage(message = ""): string[] {
  const [, parts = ""] = /^\d+\/\d+ nodes are available: (.*?)\.(?: |$)/.exec(singleLine(message)) ?? [];
  return parts === "" ? [] : parts.split(/, (?=\d+ )/).map(sentence);
}
