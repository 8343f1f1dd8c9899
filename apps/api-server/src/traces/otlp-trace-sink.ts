import { createHash } from "node:crypto";
import { type Context, ROOT_CONTEXT, trace, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type IdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";
import type { TraceSpan } from "@kintsugi/story";
import type { TraceSink } from "./recovery-traces.ts";

export interface OtlpOptions {
  /** The collector's address with its path: `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  readonly clusterName: string;
}

/** Timeout of an export, so that a collector that does not answer delays only the next trace. */
const answerMaxMs = 10_000;

/**
 * Sends traces as OTLP over HTTP. A trace and its spans have the same identifiers whenever they are
 * sent, so that a backend stores a repeated trace once. OTEL_EXPORTER_OTLP_HEADERS adds headers to
 * each request, as in all exporters of OpenTelemetry.
 */
export function createOtlpTraceSink({ endpoint, clusterName }: OtlpOptions): TraceSink & AsyncDisposable {
  const ids = new DerivedIds();
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url: endpoint, timeoutMillis: answerMaxMs }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "kintsugi", "k8s.cluster.name": clusterName }),
    idGenerator: ids,
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("kintsugi");
  return {
    async send(recovery, identity) {
      ids.begin(identity);
      addSpan(recovery, { tracer, context: ROOT_CONTEXT });
      await provider.forceFlush().catch((cause: unknown) => {
        // The provider rejects with the errors of all of its batches.
        const [first] = Array.isArray(cause) ? (cause as unknown[]) : [cause];
        throw new Error(`${endpoint} rejects traces: ${(first as Error).message}`, { cause });
      });
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}

function addSpan(span: TraceSpan, { tracer, context }: { tracer: Tracer; context: Context }): void {
  const { name, fromMs, toMs, attributes, parts } = span;
  const started = tracer.startSpan(name, { startTime: fromMs, attributes }, context);
  for (const part of parts) addSpan(part, { tracer, context: trace.setSpan(context, started) });
  started.end(toMs);
}

/** Identifiers that are derived from the trace's identity and the span's number in it. */
class DerivedIds implements IdGenerator {
  #identity = "";
  #spans = 0;

  begin(identity: string): void {
    this.#identity = identity;
    this.#spans = 0;
  }

  readonly generateTraceId = () => digest(this.#identity).slice(0, 32);
  readonly generateSpanId = () => digest(`${this.#identity} ${this.#spans++}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
