import { runtimeClasses } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { RuntimeError } from "@kintsugi/cri";
import type { BoundPod } from "../../model/bound-pod.ts";

/** Finds the runtime's handler for a pod, by the RuntimeClass that the pod names. */
export class RuntimeClasses {
  readonly #client: Pick<Client, "find">;

  constructor({ client }: { client: Pick<Client, "find"> }) {
    this.#client = client;
  }

  /**
   * Returns the handler's name, which is empty for the runtime's default. The class is read for
   * each sandbox, because few pods name a class.
   * @throws RuntimeError in upstream's words where the class does not exist.
   */
  async handlerOf({ spec }: Pick<BoundPod, "spec">): Promise<string> {
    const name = spec.runtimeClassName ?? "";
    if (name === "") return "";
    const found = await this.#client.find(runtimeClasses, { namespace: "", name });
    if (found !== undefined) return found.handler;
    throw new RuntimeError("invalid", `failed to get sandbox runtime: RuntimeClass ${JSON.stringify(name)} not found`);
  }
}
