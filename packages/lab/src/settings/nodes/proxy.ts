import { defineSetting } from "../setting.ts";

export const proxySetting = defineSetting({
  name: "proxy",
  help: "start no proxies on the nodes; addresses of Services then have no effect",
  flag: { flags: "--no-proxy", fallback: { value: true } },
  /** False if the nodes do not run proxies. */
  store: (desired = true): { proxy?: boolean } => (desired ? {} : { proxy: false }),
  contradiction: (spec, desired) => (!desired && spec.proxy !== false ? "proxies" : undefined),
  gives: (spec) => ({ kubelet: spec.proxy === false ? { "node-has-proxy": "false" } : {} }),
});
