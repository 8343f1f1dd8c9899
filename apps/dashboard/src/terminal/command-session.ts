import { inputMessage, readCommandMessage, sizeMessage } from "./command-messages.ts";

/** The screen of a terminal, and its keyboard. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Shows output; `onShown` is called when it has been processed. */
  write(bytes: Uint8Array, onShown: () => void): void;
  onInput(take: (bytes: Uint8Array) => void): void;
  onResize(take: () => void): void;
  focus(): void;
  dispose(): void;
}

/** The part of a browser's WebSocket that a session uses. */
export interface CommandSocket {
  binaryType: BinaryType;
  readonly readyState: number;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(): void;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
}

export interface CommandSession {
  /** Ends the command as a lost connection would. */
  close(): void;
}

/**
 * A browser's WebSocket cannot slow down its server. Output beyond this limit that the screen has
 * not shown yet is dropped, so that a command that prints endlessly can still be interrupted.
 */
const waitingBytesMax = 2 * 1024 * 1024;
const openState = 1;

/**
 * Connects a screen to a command in a container. `onState` receives "open", and at the end, once, a
 * sentence about it.
 */
export function joinCommand(
  { socket, screen }: { socket: CommandSocket; screen: Screen },
  onState: (state: "open" | { ended: string }) => void,
): CommandSession {
  let outcome: string | undefined;
  let isOpened = false;
  let waitingBytes = 0;
  let leftOutBytes = 0;
  socket.binaryType = "arraybuffer";
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === openState) socket.send(bytes);
  };
  const show = (bytes: Uint8Array) => {
    waitingBytes += bytes.length;
    screen.write(bytes, () => (waitingBytes -= bytes.length));
  };
  const take = (bytes: Uint8Array) => {
    if (waitingBytes + bytes.length > waitingBytesMax) {
      leftOutBytes += bytes.length;
      return;
    }
    if (leftOutBytes > 0) {
      // CAN ends an escape sequence that was cut in two.
      show(new TextEncoder().encode(`\x18\r\n[${leftOutBytes} bytes came too fast to be shown]\r\n`));
      leftOutBytes = 0;
    }
    show(bytes);
  };
  const sendSize = () => send(sizeMessage(screen));
  screen.onInput((bytes) => send(inputMessage(bytes)));
  screen.onResize(sendSize);
  socket.onopen = sendSize;
  socket.onmessage = ({ data }) => {
    const message = readCommandMessage(new Uint8Array(data as ArrayBuffer));
    if (message.is === "end") outcome = message.text;
    if (message.is === "output") take(message.bytes);
    if (message.is === "end" || isOpened) return;
    isOpened = true;
    onState("open");
  };
  socket.onclose = () =>
    onState({
      ended: outcome ?? (isOpened ? "The connection was lost." : "The connection was refused, or nothing answers."),
    });
  return {
    close() {
      // The view that requests the end is closing, and does not receive further notifications.
      socket.onmessage = null;
      socket.onclose = null;
      socket.close();
    },
  };
}
