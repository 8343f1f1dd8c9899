import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { ContainerRuntime } from "../../container-runtime.ts";
import { authFromWire, type WireAuth, wireFilesystemUsage, wireImage } from "../../wire/image.ts";
import { sandboxConfigFromWire, type WirePodSandboxConfig } from "../../wire/sandbox.ts";
import { unary } from "./handler.ts";
import { required } from "./required.ts";

interface OfImage {
  image: { image: string } | null;
}

export function imageHandlers(runtime: ContainerRuntime): UntypedServiceImplementation {
  return {
    ListImages: unary<{ filter: OfImage | null }>(async ({ filter }, signal) => {
      const reference = filter?.image?.image ?? "";
      if (reference === "") return { images: (await runtime.listImages(signal)).map(wireImage) };
      const image = await runtime.imageStatus(reference, signal);
      return { images: image ? [wireImage(image)] : [] };
    }),
    ImageStatus: unary<OfImage>(async ({ image }, signal) => {
      const found = await runtime.imageStatus(required(image, "image").image, signal);
      return { image: found ? wireImage(found) : null };
    }),
    PullImage: unary<OfImage & { auth: WireAuth | null; sandboxConfig: WirePodSandboxConfig | null }>(
      async ({ image, auth, sandboxConfig }, signal) => ({
        imageRef: await runtime.pullImage(
          required(image, "image").image,
          {
            ...(auth ? { auth: authFromWire(auth) } : {}),
            ...(sandboxConfig ? { sandboxConfig: sandboxConfigFromWire(sandboxConfig, "") } : {}),
          },
          signal,
        ),
      }),
    ),
    RemoveImage: unary<OfImage>(({ image }, signal) => runtime.removeImage(required(image, "image").image, signal)),
    ImageFsInfo: unary(async (_request, signal) => ({
      imageFilesystems: (await runtime.imageFsInfo(signal)).map(wireFilesystemUsage),
    })),
  };
}
