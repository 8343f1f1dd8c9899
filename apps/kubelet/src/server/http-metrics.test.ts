import { VirtualClock } from "@kintsugi/clock/simulated";
import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { HttpMetrics } from "./http-metrics.ts";

test("requests are counted while they run and timed when they end, by method and route", async () => {
  const [clock, metrics] = [new VirtualClock(), createMetrics()];
  const http = new HttpMetrics({ clock, metrics });
  const exec = http.begin("POST", "exec");
  http.begin("BREW", "other")();
  const logs = http.begin("GET", "containerLogs");
  await clock.advance(300);
  logs();
  const text = await metrics.exposition();
  const labels = (method: string, path: string, longRunning: boolean) =>
    `method="${method}",path="${path}",server_type="readwrite",long_running="${longRunning}"`;
  for (const line of [
    `kubelet_http_requests_total{${labels("POST", "exec", true)}} 1`,
    `kubelet_http_inflight_requests{${labels("POST", "exec", true)}} 1`,
    `kubelet_http_inflight_requests{${labels("GET", "containerLogs", false)}} 0`,
    `kubelet_http_requests_total{${labels("other", "other", false)}} 1`,
    `kubelet_http_requests_duration_seconds_sum{${labels("GET", "containerLogs", false)}} 0.3`,
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).not.toContain(`kubelet_http_requests_duration_seconds_sum{${labels("POST", "exec", true)}}`);
  exec();
  expect(await metrics.exposition()).toContain(`kubelet_http_inflight_requests{${labels("POST", "exec", true)}} 0\n`);
});
