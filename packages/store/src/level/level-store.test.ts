import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStoreContract } from "../testing/store-contract.ts";
import { LevelStore } from "./level-store.ts";

describeStoreContract("LevelStore", async (deps, options) => {
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-store-"));
  return LevelStore.open({ ...deps, ...options, directory, ballastBytes: 0 });
});
