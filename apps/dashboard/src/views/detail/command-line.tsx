import { useSignal } from "@preact/signals";

/** A command line that does or shows the same, to be copied. */
export function CommandLine({ text }: { text: string }) {
  const copied = useSignal(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => (copied.value = true),
      // The text can still be selected where the clipboard may not be used.
      () => {},
    );
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy ${text}`}>
        {copied.value ? "copied" : "copy"}
      </button>
    </div>
  );
}
