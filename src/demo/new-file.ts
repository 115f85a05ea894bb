import type { ShownFile } from './read-answer.ts';

/** A small file that a repository does without so far, and how it looks once somebody asked for a word of explanation. */
export type NewFile = {
  readonly path: string;
  readonly content: string;
  readonly reason: string;
  readonly wish: string;
  readonly explained: string;
};

/** How most of the lines that were read are indented. */
function indentStyle(files: readonly ShownFile[]): readonly string[] {
  const lines = files.filter(({ path }) => !/\.(?:md|markdown|txt|rst|adoc)$/.test(path)).flatMap((file) => file.lines);
  const tabs = lines.filter((line) => line.startsWith('\t')).length;
  const widths = lines.flatMap((line) => /^( +)\S/.exec(line)?.[1]?.length ?? []);
  if (tabs > widths.length) return ['indent_style = tab'];
  if (widths.length === 0) return [];
  const by = (width: number): number => widths.filter((one) => one % width === 0).length;
  return ['indent_style = space', `indent_size = ${by(4) >= widths.length * 0.8 ? 4 : 2}`];
}

function editorConfig(files: readonly ShownFile[]): string {
  const style = ['charset = utf-8', 'insert_final_newline = true', ...indentStyle(files)];
  return ['root = true', '', '[*]', ...style, ''].join('\n');
}

const WHY = 'Keeps every editor to the style that the files here already have.';

/** The new file to propose; `taken` are the names at the root. */
export function newFile(files: readonly ShownFile[], taken: ReadonlySet<string>): NewFile {
  const wish = 'Good idea, but say in its first line what it is for.';
  if (!taken.has('.editorconfig')) {
    const content = editorConfig(files);
    const reason = 'So that editors write files the way they are written here.';
    return { path: '.editorconfig', content, reason, wish, explained: `# ${WHY}\n${content}` };
  }
  const path = ['REVIEWING.md', 'HOW-CHANGES-LAND.md'].find((name) => !taken.has(name)) ?? 'CHANGES-LAND.md';
  const content = '# Reviewing\n\nEvery change is shown as a diff first, and lands only once somebody approved it.\n';
  const explained = content.replace('\n\n', '\n\nFor everybody who reviews here for the first time.\n\n');
  return { path, content, reason: 'Says how changes come into this repository.', wish, explained };
}

/** A page that few repositories need; for what is to be turned down where nothing else can be. */
export function styleGuide(taken: ReadonlySet<string>): Pick<NewFile, 'path' | 'content' | 'reason'> {
  const path = ['STYLE.md', 'STYLE-NOTES.md'].find((name) => !taken.has(name)) ?? 'WRITING-STYLE.md';
  const content = '# Style\n\nOne commit says one thing. Comments are sentences.\n';
  return { path, content, reason: 'Writes down what is done here anyway.' };
}
