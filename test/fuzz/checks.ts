import type { FuzzAnswer } from "./target.ts";
import type { FuzzRequest, IdentityName } from "./grammar/fuzz-request.ts";

/** A text that is only in objects which some identities may not read. */
export interface Canary {
  readonly text: string;
  readonly hiddenFrom: readonly IdentityName[];
}

/** The fault of an answer: its first words name its kind. */
export type Fault = {
  readonly kind: "5xx" | "canary" | "hang" | "slow" | "blocks" | "keeps";
  readonly because: string;
};

/**
 * Time limit of an answer's head while the machine is otherwise idle; a slower answer has blocked
 * the server.
 */
const headMaxMs = 5000;

/** Subresources that are forwarded to a node. */
const throughNodes = /\/(?:exec|attach|portforward|log|proxy)(?:[/?]|$)/;

const throughServices = /\/services\/[^/]+\/proxy(?:[/?]|$)/;

/** An answer of 500 or more that is correct, with the reason. */
interface RightfulAnswer {
  readonly name: string;
  readonly because: string;
  readonly isIt: (request: FuzzRequest, answer: FuzzAnswer) => boolean;
}

/** All other answers of 500 or more are findings. */
const rightfulAnswers: readonly RightfulAnswer[] = [
  {
    name: "typed patch",
    because: "upstream's field manager has no code of its own for an applied object that its schema rejects",
    isIt: ({ method }, { status, text }) =>
      method === "PATCH" && status === 500 && text.includes("failed to create typed patch object"),
  },
  {
    name: "kubelet away",
    because:
      "no kubelet answers for the nodes of this cluster, so the API server returns a gateway error, as upstream's API server does",
    isIt: ({ path, method }, { status, text }) =>
      throughNodes.test(path) && (status === 502 || method === "HEAD" || /dial|connect|kubelet/i.test(text)),
  },
  {
    name: "no endpoints",
    because: "a Service of this cluster has no endpoints",
    isIt: ({ path }, { status, text }) =>
      status === 503 && throughServices.test(path) && /no endpoints available for service/.test(text),
  },
  {
    name: "future revision",
    because: "the revision that a read names does not exist yet, so the client may retry the read",
    // An answer to HEAD has no text.
    isIt: ({ path, method }, { status, text }) =>
      status === 504 &&
      path.includes("resourceVersion=") &&
      (method === "HEAD" || text.includes("Too large resource version")),
  },
  {
    name: "not configured",
    because: "this server was started without a bus, and reports this",
    isIt: ({ path }, { status }) => status === 503 && path.startsWith("/apis/kintsugi.dev/v1alpha1/"),
  },
];

/** Lists the faults that are forbidden in any answer to any client. */
export function faultsOf(request: FuzzRequest, answer: FuzzAnswer, canaries: readonly Canary[]): Fault[] {
  const faults: Fault[] = [];
  if (answer.status >= 500 && rightfulName(request, answer) === undefined)
    faults.push({ kind: "5xx", because: `${answer.status} ${answer.text.slice(0, 400)}` });
  for (const { text, hiddenFrom } of canaries)
    if (hiddenFrom.includes(request.identity) && formsOf(text).some((form) => answer.text.includes(form)))
      faults.push({ kind: "canary", because: `${answer.status}: the answer holds ${text}` });
  if (answer.tookMs > headMaxMs) faults.push({ kind: "slow", because: `${Math.round(answer.tookMs)} ms` });
  return faults;
}

/** Returns the name of the reason for which an answer of 500 or more is correct. */
export function rightfulName(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  if (answer.status < 500) return undefined;
  return rightfulAnswers.find(({ isIt }) => isIt(request, answer))?.name;
}

/** Returns the text itself, and its base64 at each of the three possible offsets. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    // The first and the last quantum also contain the neighboring bytes.
    return whole.slice(shift === 0 ? 0 : 4, -4);
  });
  return [text, ...shifted];
}

/** Faults of one cause look alike: the same kind, by the same verb, on the same kind of path. */
export function signatureOf(request: FuzzRequest, { kind, because }: Fault): string {
  const path = request.path.split("?")[0]?.replace(/x{20,}/g, "x…") ?? "";
  return `${kind} ${request.method} ${path} ${because.replaceAll(/[0-9a-f-]{8,}|\d+/g, "#").slice(0, 80)}`;
}
