import { join } from "node:path";
import type { BindRequest, Mounts } from "../machine/files/mounts.ts";

export type MemoryMount = { kind: "memory"; sizeBytes: number } | { kind: "bind"; source: string };

/**
 * Mounts that are only recorded, for tests and simulations. Links are ignored, because the tests of
 * the real mounts cover them.
 */
export class MemoryMounts implements Mounts {
  readonly points = new Map<string, MemoryMount>();

  below(directory: string): Promise<string[]> {
    const points = [...this.points.keys()];
    return Promise.resolve(
      points.filter((point) => point === directory || point.startsWith(`${directory}/`)).reverse(),
    );
  }

  mountMemory(directory: string, sizeBytes: number): Promise<void> {
    this.points.set(directory, { kind: "memory", sizeBytes });
    return Promise.resolve();
  }

  bindInside({ root, inside, target }: BindRequest): Promise<void> {
    this.points.set(target, { kind: "bind", source: join(root, inside) });
    return Promise.resolve();
  }

  unmount(path: string): Promise<void> {
    this.points.delete(path);
    return Promise.resolve();
  }
}
