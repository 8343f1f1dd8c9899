// A command in a container over a WebSocket with the subprotocol v5.channel.k8s.io: the first byte
// of each message identifies its channel.
//
//   page → server:  0 input · 4 {"Width":80,"Height":24}
//   server → page:  1 stdout · 2 stderr · 3 the outcome, a Status in JSON, once and last

const channels = { input: 0, output: 1, errors: 2, outcome: 3, size: 4 } as const;

export type CommandMessage =
  | { readonly is: "output"; readonly bytes: Uint8Array }
  /** The command has ended, or never ran; `text` is a sentence about it. */
  | { readonly is: "end"; readonly text: string }
  | { readonly is: "nothing" };

export function readCommandMessage(message: Uint8Array): CommandMessage {
  const rest = message.subarray(1);
  switch (message[0]) {
    case channels.output:
    case channels.errors:
      return rest.length === 0 ? { is: "nothing" } : { is: "output", bytes: rest };
    case channels.outcome:
      return { is: "end", text: outcomeText(new TextDecoder().decode(rest)) };
    default:
      return { is: "nothing" };
  }
}

export function inputMessage(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channels.input;
  message.set(bytes, 1);
  return message;
}

export function sizeMessage({ columns, rows }: { columns: number; rows: number }): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows }));
  const message = inputMessage(text);
  message[0] = channels.size;
  return message;
}

interface Outcome {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly causes?: readonly { readonly reason?: unknown; readonly message?: unknown }[] };
}

/** A sentence about the Status of a command's end. */
function outcomeText(json: string): string {
  let outcome: Outcome;
  try {
    outcome = (JSON.parse(json) ?? {}) as Outcome;
  } catch {
    return "The command ended, and its outcome cannot be read.";
  }
  if (outcome.status === "Success") return "The command ended.";
  const causes = Array.isArray(outcome.details?.causes) ? outcome.details.causes : [];
  const code = causes.find((each) => each.reason === "ExitCode")?.message;
  if (typeof code === "string") return `The command ended with exit code ${code}.`;
  return typeof outcome.message === "string" ? `The command was refused: ${outcome.message}` : "The command failed.";
}
