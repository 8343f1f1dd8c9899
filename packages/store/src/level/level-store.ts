import type { Clock, Random } from "@kintsugi/clock";
import { LoggedStore } from "../commit/logged-store.ts";
import { Ballast } from "../disk/ballast.ts";
import type { Disk, Engine } from "../disk/disk.ts";
import { type EventLog, silentEventLog } from "../event-log.ts";
import { digestToHex } from "../log/digest.ts";
import { type Head, HeadFile } from "../log/head.ts";
import { firstBase, readLog } from "../log/open-log.ts";
import { RevisionLog, recordsRange } from "../log/revision-log.ts";
import { type StoreOptions, windowLimitsFor, withDefaults } from "../store-options.ts";
import { StoreCorrupt } from "../store.ts";
import { plainValues, type StoredValues } from "../stored-values.ts";
import { inspectDirectory } from "./data-directory.ts";
import { closeToOthers } from "./private-files.ts";
import { SystemDisk } from "./system-disk.ts";

export interface LevelStoreDeps {
  clock: Clock;
  random: Random;
  /** Default silent. */
  log?: EventLog;
  /** The encoding of values on the disk. Default unchanged. */
  values?: StoredValues | undefined;
}

export interface LevelStoreOptions extends Partial<StoreOptions> {
  /** Free disk space below which only Leases and deletes are written. Default 64 MiB. */
  freeBytesMin?: number;
  /** Bytes that are reserved for a restart on a full disk. Default 64 MiB; 0 reserves nothing. */
  ballastBytes?: number;
  /**
   * Delay after the opening before the ballast is written. Default 2 s, because a server is already
   * serving by then.
   */
  ballastDelayMs?: number;
}

const mebibyte = 2 ** 20;
const defaults = { freeBytesMin: 64 * mebibyte, ballastBytes: 64 * mebibyte, ballastDelayMs: 2_000 };

/** The store on disk. */
export class LevelStore extends LoggedStore {
  /**
   * Opens the data directory, creates it when missing, and verifies everything in it.
   * @throws StoreCorrupt naming the fault, StoreInUse when another process uses the directory,
   * ValueSealed when a key is missing.
   */
  static async open(deps: LevelStoreDeps & LevelStoreOptions & { directory: string }): Promise<LevelStore> {
    const { directory, clock, random, log = silentEventLog, values = plainValues, ...options } = deps;
    const store = await LevelStore.openOn(new SystemDisk(directory), { clock, random, log, values }, options);
    const readable = await closeToOthers(directory);
    if (readable.length > 0) log.warn("other users can read the store", { paths: readable.slice(0, 3) });
    return store;
  }

  /** `open` for any disk; simulations provide their own disks. */
  static async openOn(disk: Disk, deps: LevelStoreDeps, options: LevelStoreOptions = {}): Promise<LevelStore> {
    const { log = silentEventLog, values = plainValues } = deps;
    const settings = { ...defaults, ...options };
    const found = await inspectDirectory(disk);
    const ballast = new Ballast({ disk, log }, { ...settings, present: found.hasBallast });
    if (disk.freeBytes() < settings.freeBytesMin) await ballast.release();
    const engine = await disk.openEngine({ create: found.head === undefined });
    let headFile: HeadFile | undefined;
    try {
      const opened = await openHead({ disk, engine, random: deps.random }, found.head);
      const { head } = opened;
      ({ headFile } = opened);
      const nowMs = deps.clock.monotonicMs();
      const windows = { windowLimitsOf: windowLimitsFor(withDefaults(options)) };
      const { state, ledger, revision, hash } = await readLog({ disk, engine, head, nowMs, values }, windows);
      const current: Head = { ...head, revision, hash, floor: ledger.base.floor };
      // Every record that is served from now on counts as acknowledged, so HEAD has to include it.
      if (revision !== head.revision || current.floor !== head.floor) await headFile.write(current);
      const parts = { disk, engine, headFile, ledger, ballast, values };
      const revisionLog = new RevisionLog(parts, { ...settings, head: current });
      ballast.ensureLater(deps.clock, settings.ballastDelayMs);
      log.info("store opened", { directory: disk.name, revision, objects: state.count(""), floor: current.floor });
      const { clusterId, historyId } = head;
      return new LevelStore({ clusterId, historyId, state, log: revisionLog, clock: deps.clock });
    } catch (error) {
      await headFile?.close();
      await engine.close();
      throw error;
    }
  }
}

async function openHead(
  deps: { disk: Disk; engine: Engine; random: Random },
  bytes: Uint8Array | undefined,
): Promise<{ head: Head; headFile: HeadFile }> {
  const { disk, engine, random } = deps;
  if (bytes) {
    const { file, head } = await HeadFile.open(disk, bytes);
    return { head, headFile: file };
  }
  const [record] = await engine.readPage(recordsRange, 1);
  if (record)
    throw new StoreCorrupt(`${disk.name} has a log, beginning with ${record.key}, but no HEAD; restore a backup`);
  const clusterId = random.uuid();
  const hash = digestToHex(firstBase(clusterId).hash);
  const head = { clusterId, historyId: random.uuid(), revision: 0, hash, floor: 0 };
  return { head, headFile: await HeadFile.create(disk, head) };
}
