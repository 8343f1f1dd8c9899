import { defineSetting } from "../setting.ts";

export const tracesSetting = defineSetting({
  name: "traces",
  help: "OpenTelemetry collector that receives a trace of each recovery, such as http://127.0.0.1:4318 (docs/recipes/send-traces.md)",
  flag: { flags: "--traces <url>", parse: collectorUrl },
  store: (desired): { tracesEndpoint?: string } => (desired === undefined ? {} : { tracesEndpoint: desired }),
  contradiction: ({ tracesEndpoint }, desired) =>
    desired === tracesEndpoint ? undefined : `traces sent to ${tracesEndpoint ?? "no collector"}`,
  gives: ({ tracesEndpoint }) => ({
    "api-server": tracesEndpoint === undefined ? {} : { "recovery-traces-endpoint": tracesEndpoint },
  }),
});

/** @throws Error if the text is not a collector's URL. */
function collectorUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error("it is a URL of http or https, such as http://127.0.0.1:4318");
}
