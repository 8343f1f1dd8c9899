import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Live } from "./pages.ts";
import { judgePageRequest } from "./judge-page-request.ts";
import { NotNow } from "./game-day.ts";
import { pageScript, pageStyle } from "./shells.ts";

/** One page of a game day. */
export interface GamePage {
  /** The constant markup. */
  readonly shell: () => string;
  readonly live: () => Live;
  /** Further documents, by their paths. */
  readonly documents: Readonly<Record<string, { readonly type: string; readonly text: () => string }>>;
  /** The forms by their paths. @throws NotNow, WrongForm */
  readonly forms: Readonly<Record<string, (fields: FormFields) => string | Promise<string>>>;
}

export type FormFields = Readonly<Record<string, unknown>>;

/** A form with invalid fields. */
export class WrongForm extends Error {
  override readonly name = "WrongForm";
}

export interface ServedPage extends AsyncDisposable {
  readonly port: number;
  /** The address with the token. */
  readonly url: string;
}

/** A browser opens six connections. */
const connectionsMax = 64;
const headersTimeoutMs = 5_000;
/** A report has at most 500 characters. */
const bodyBytesMax = 4 * 1024;

/** Serves a page on loopback. @throws when the port is taken. */
export async function serveGamePage(
  page: GamePage,
  { port, token }: { port: number; token: string },
): Promise<ServedPage> {
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: headersTimeoutMs,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, (request, response) => {
    const { port: own } = server.address() as AddressInfo;
    void answer(page, { request, response }, { port: own, token });
  });
  server.maxConnections = connectionsMax;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    url: `http://127.0.0.1:${own}/?token=${token}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(page: GamePage, { request, response }: Exchange, access: { port: number; token: string }) {
  const { method = "GET", url: target = "/", headers } = request;
  const judged = judgePageRequest({ method, target, headers }, access);
  const send = (status: number, { type, text }: { type: string; text: string }) => {
    response.writeHead(status, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    response.end(text);
  };
  const say = (status: number, text: string) => send(status, { type: "text/plain", text });
  switch (judged.is) {
    case "refuse":
      response.setHeader("connection", "close");
      return say(judged.status, judged.because);
    case "enter":
      response.writeHead(303, { location: "/", "set-cookie": judged.cookie, "cache-control": "no-store" });
      return response.end();
    case "read": {
      const document = documentAt(page, judged.path);
      return document === undefined ? say(404, "there is no such page") : send(200, document);
    }
    case "write": {
      const form = Object.hasOwn(page.forms, judged.path) ? page.forms[judged.path] : undefined;
      if (form === undefined) return say(404, "there is no such form");
      try {
        return say(200, await form(await fieldsOf(request)));
      } catch (error) {
        if (response.destroyed) return;
        if (error instanceof NotNow) return say(409, `${sentence(error.message)}`);
        if (error instanceof WrongForm) return say(400, sentence(error.message));
        return say(500, `The game day failed: ${(error as Error).message}`);
      }
    }
  }
}

function documentAt(page: GamePage, path: string): { type: string; text: string } | undefined {
  switch (path) {
    case "/":
      return { type: "text/html", text: page.shell() };
    case "/live":
      return { type: "application/json", text: JSON.stringify(page.live()) };
    case "/script.js":
      return { type: "text/javascript", text: pageScript };
    case "/style.css":
      return { type: "text/css", text: pageStyle };
  }
  const document = Object.hasOwn(page.documents, path) ? page.documents[path] : undefined;
  return document && { type: document.type, text: document.text() };
}

/** @throws WrongForm */
async function fieldsOf(request: IncomingMessage): Promise<FormFields> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new WrongForm(`a form has at most ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  try {
    const fields: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return fields as FormFields;
  } catch {
    // Invalid JSON gets the same sentence.
  }
  throw new WrongForm("a form must be a JSON object");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
