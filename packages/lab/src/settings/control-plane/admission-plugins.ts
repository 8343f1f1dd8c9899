import type { Flags } from "../setting.ts";

const enable = "enable-admission-plugins";
const disable = "disable-admission-plugins";

/**
 * Returns a user's flags of the API server with the plugins that `up` enables. The user's plugins
 * are added to the plugins of `up`, as upstream adds the user's plugins to its default plugins. A
 * plugin that the user disables is not enabled.
 */
export function withPluginsOfUp(given: Flags, args: readonly string[]): string[] {
  const namesIn = (name: string) =>
    args.flatMap((arg) => (arg.startsWith(`${name}=`) ? arg.slice(name.length + 1).split(",") : []));
  const [enabled, disabled] = [namesIn(enable), namesIn(disable)];
  const ofUp = String(given[enable] ?? "").split(",");
  if (given[enable] === undefined || enabled.length + disabled.length === 0) return [...args];
  const plugins = [...ofUp.filter((name) => !disabled.includes(name)), ...enabled];
  const others = args.filter((arg) => !arg.startsWith(`${enable}=`));
  return [...others, `${enable}=${[...new Set(plugins)].join(",")}`];
}
