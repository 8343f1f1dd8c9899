/** A command of the command line, for shells that complete it. */
export interface CompletedCommand {
  /** The words after `kintsugi`: "", "node", "node kill". */
  readonly path: string;
  readonly subcommands: readonly { name: string; description: string }[];
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  /** "--profile", "-n". */
  readonly flags: readonly string[];
  readonly description: string;
  /** The option is followed by a value. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  /** The value is a path. */
  readonly isPath: boolean;
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Returns the script that completes `kintsugi` in a shell. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return zshScript(commands);
    case "fish":
      return fishScript(commands);
  }
}

/** Words of options and commands have no characters that are special in a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function pathsBelow(commands: readonly CompletedCommand[]): string[] {
  return commands.map(({ path }) => path).filter((path) => path !== "");
}

/** Returns the words that may follow a command. */
function wordsOf({ subcommands, options }: CompletedCommand): string[] {
  return [...subcommands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
}

/** Returns the patterns "path|option" of options whose values a shell completes. */
function patternsOf({ path, options }: CompletedCommand, wanted: (option: CompletedOption) => boolean): string[] {
  return options.filter(wanted).flatMap(({ flags }) => flags.map((each) => quoted(`${path}|${each}`)));
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const values = commands.flatMap((command) => {
    const files = patternsOf(command, ({ isPath }) => isPath);
    const chosen = command.options.filter(({ choices }) => choices.length > 0);
    return [
      ...(files.length === 0
        ? []
        : [`    ${files.join("|")}) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;`]),
      ...chosen.map(({ flags, choices }) => {
        const patterns = flags.map((each) => quoted(`${command.path}|${each}`)).join("|");
        return `    ${patterns}) COMPREPLY=($(compgen -W ${quoted(choices.join(" "))} -- "$cur")); return ;;`;
      }),
    ];
  });
  return `# bash completion of kintsugi: source <(kintsugi completion bash)
_kintsugi() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${pathsBelow(commands).map(quoted).join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path|\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "$path" in
${commands.map((each) => `    ${quoted(each.path)}) COMPREPLY=($(compgen -W ${quoted(wordsOf(each).join(" "))} -- "$cur")) ;;`).join("\n")}
  esac
}
complete -F _kintsugi kintsugi
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const values = commands.flatMap((command) => {
    const files = patternsOf(command, ({ isPath }) => isPath);
    const chosen = command.options.filter(({ choices }) => choices.length > 0);
    return [
      ...(files.length === 0 ? [] : [`    ${files.join("|")}) _files; return ;;`]),
      ...chosen.map(({ flags, choices }) => {
        const patterns = flags.map((each) => quoted(`${command.path}|${each}`)).join("|");
        return `    ${patterns}) compadd -- ${choices.map(quoted).join(" ")}; return ;;`;
      }),
    ];
  });
  return `#compdef kintsugi
# zsh completion of kintsugi: source <(kintsugi completion zsh)
_kintsugi() {
  local command="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command:+$command }$word" in
      ${pathsBelow(commands).map(quoted).join("|")}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command|\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$command" in
${commands.map((each) => `    ${quoted(each.path)}) compadd -- ${wordsOf(each).map(quoted).join(" ")} ;;`).join("\n")}
  esac
}
compdef _kintsugi kintsugi
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, subcommands, options }) => {
    const at = `complete -c kintsugi -n ${quoted(`__kintsugi_at "${path}"`)}`;
    return [
      ...subcommands.map(({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map((option) => {
        const names = option.flags.map((each) =>
          each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
        );
        const value = option.isPath
          ? " -r -F"
          : option.choices.length > 0
            ? ` -x -a ${quoted(option.choices.join(" "))}`
            : option.takesValue
              ? " -x"
              : "";
        return `${at} ${names.join(" ")}${value} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `# fish completion of kintsugi: kintsugi completion fish | source
function __kintsugi_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    if contains -- "$longer" ${pathsBelow(commands).map(quoted).join(" ")}
      set path "$longer"
    end
  end
  test "$path" = "$argv[1]"
end
complete -c kintsugi -f
${lines.join("\n")}
`;
}
