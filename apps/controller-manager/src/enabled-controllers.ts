import { flag, FlagError } from "@kintsugi/daemon";
import { controllers } from "./controllers.ts";

/** A controller may be written with upstream's suffix, which most names in upstream's list have. */
const suffix = "-controller";

/** The flag of the controllers that run (kube-controller-manager's `--controllers`). */
export const enabledControllersFlag = {
  controllers: flag.list({
    help: "Controllers that run: * for all, foo for the controller foo, -foo for all but the controller foo",
    fallback: ["*"],
    example: ["*", "-cron-job"],
  }),
};

/**
 * Returns the controllers that the words enable (controller-manager/app/helper.go
 * IsControllerEnabled). The first word that names a controller decides. A controller that is not
 * named needs `*`.
 * @throws FlagError for a name that is not a controller's.
 */
export function enabledControllers(words: readonly string[]): (typeof controllers)[number][] {
  const known = new Set<string>(controllers.map(({ name }) => name));
  const named = words.filter((word) => word !== "*").map(nameIn);
  const unknown = named.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new FlagError(
      `--controllers: there is no controller "${unknown}"; the names are ${[...known].toSorted().join(", ")}`,
    );
  return controllers.filter(({ name }) => {
    const word = words.find((each) => each !== "*" && nameIn(each) === name);
    return word === undefined ? words.includes("*") : !word.startsWith("-");
  });
}

function nameIn(word: string): string {
  const name = word.startsWith("-") ? word.slice(1) : word;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}
