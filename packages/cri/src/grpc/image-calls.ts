import type { ContainerRuntime } from "../container-runtime.ts";
import {
  filesystemUsageFromWire,
  imageFromWire,
  wireAuth,
  type WireFilesystemUsage,
  type WireImage,
} from "../wire/image.ts";
import { wireSandboxConfig } from "../wire/sandbox.ts";
import { type Call, untilGone } from "./call.ts";

type ImageCalls = Pick<ContainerRuntime, "listImages" | "imageStatus" | "pullImage" | "removeImage" | "imageFsInfo">;

export function imageCalls(call: Call): ImageCalls {
  return {
    listImages: async (signal) =>
      (await call<{ images: WireImage[] }>("image.ListImages", {}, { signal })).images.map(imageFromWire),

    imageStatus: async (reference, signal) => {
      const request = { image: { image: reference } };
      const { image } = await call<{ image: WireImage | null }>("image.ImageStatus", request, { signal });
      return image ? imageFromWire(image) : undefined;
    },

    // A pull has no time limit, as in upstream: only the signal ends it.
    pullImage: async (reference, { auth, sandboxConfig } = {}, signal) => {
      const request = {
        image: { image: reference },
        auth: auth ? wireAuth(auth) : null,
        sandboxConfig: sandboxConfig ? wireSandboxConfig(sandboxConfig) : null,
      };
      const limits = { signal, timeoutMs: "unlimited" } as const;
      return (await call<{ imageRef: string }>("image.PullImage", request, limits)).imageRef;
    },

    removeImage: (reference, signal) =>
      untilGone(() => call("image.RemoveImage", { image: { image: reference } }, { signal })),

    imageFsInfo: async (signal) => {
      const response = await call<{ imageFilesystems: WireFilesystemUsage[] }>("image.ImageFsInfo", {}, { signal });
      return response.imageFilesystems.map(filesystemUsageFromWire);
    },
  };
}
