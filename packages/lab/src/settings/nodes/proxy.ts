import { defineSetting } from "../setting.ts";

export const proxySetting = defineSetting({
  name: "proxy",
  help: "start no proxies on the nodes; addresses of Services then have no effect",
  flag: { flags: "--no-proxy", fallback: { value: true } },
  /** False: the nodes have no proxies. */
  store: (wish = true): { proxy?: boolean } => (wish ? {} : { proxy: false }),
  contradiction: (spec, wish) => (!wish && spec.proxy !== false ? "proxies" : undefined),
  gives: (spec) => ({ kubelet: spec.proxy === false ? { "node-has-proxy": "false" } : {} }),
});
