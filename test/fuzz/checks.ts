import type { FuzzAnswer } from "./target.ts";
import type { FuzzRequest, IdentityName } from "./grammar/request-grammar.ts";

/** A text that stands only in objects which some identities may not read. */
export interface Canary {
  readonly text: string;
  readonly hiddenFrom: readonly IdentityName[];
}

/** The fault of an answer: the first words name its kind. */
export type Fault = { readonly kind: "5xx" | "canary" | "hang" | "slow"; readonly because: string };

/** An answer whose head takes longer while the machine is otherwise idle has blocked the server. */
const headMaxMs = 5000;

/**
 * Subresources that reach through to a node: where no kubelet answers, that is an error of the
 * gateway, as upstream.
 */
const throughNodes = /\/(?:exec|attach|portforward|log|proxy)(?:[/?]|$)/;

/** Lists the faults that no answer may have, for any client. */
export function faultsOf(request: FuzzRequest, answer: FuzzAnswer, canaries: readonly Canary[]): Fault[] {
  const faults: Fault[] = [];
  if (answer.status >= 500 && !isUpstreams(request, answer))
    faults.push({ kind: "5xx", because: `${answer.status} ${answer.text.slice(0, 400)}` });
  for (const { text, hiddenFrom } of canaries)
    if (hiddenFrom.includes(request.identity) && formsOf(text).some((form) => answer.text.includes(form)))
      faults.push({ kind: "canary", because: `${answer.status}: the answer holds ${text}` });
  if (answer.tookMs > headMaxMs) faults.push({ kind: "slow", because: `${Math.round(answer.tookMs)} ms` });
  return faults;
}

function isUpstreams({ path, method }: FuzzRequest, { status, text }: FuzzAnswer): boolean {
  // Upstream's field manager has no code of its own for an applied object that its schema does not
  // take.
  if (text.includes("failed to create typed patch object")) return true;
  // A server that was started without a verb, a bus or a metric answers that it is not there for
  // now.
  if (status === 503 && text.includes("ServiceUnavailable")) return true;
  if (status === 504 && text.includes("Timeout")) return true;
  return throughNodes.test(path) && (status === 502 || method === "HEAD" || /dial|connect|kubelet/i.test(text));
}

/** Returns the text itself, and in base64 at each of the three places that it can begin at. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    // The first and the last quantum also hold the neighbouring bytes.
    return whole.slice(shift === 0 ? 0 : 4, -4);
  });
  return [text, ...shifted];
}

/** Faults of one cause look alike: the same kind, by the same verb, on the same kind of path. */
export function signatureOf(request: FuzzRequest, { kind, because }: Fault): string {
  const path = request.path.split("?")[0]?.replace(/x{20,}/g, "x…") ?? "";
  return `${kind} ${request.method} ${path} ${because.replaceAll(/[0-9a-f-]{8,}|\d+/g, "#").slice(0, 80)}`;
}
