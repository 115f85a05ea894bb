import { readBlobText } from '../../../fakes/github/git/objects.ts';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { type Model, ModelError } from '../../../src/core/step/model-port.ts';
import { type CaseFixture, FILE_PATHS } from './fixture.ts';
import type { Random } from './random.ts';
import { readFullTree, type SimulatedGitHub, snapshotPull } from './simulated-github.ts';

/** Text that would be active Markdown or HTML on GitHub if it were not escaped. */
export const HOSTILE_MARKDOWN =
  '@evil-team <img src="https://evil.example/x.png"> ![x](https://evil.example/y.png) [here](https://evil.example) closes #1';

/** Blocks that would become a button, a diagram, a task list, HTML or a command. */
const HOSTILE_BLOCKS = [
  '```suggestion\nevil\n```',
  '- [ ] @evil-team\n  </details>\n  ```mermaid\n  evil\n  ```',
  '| [here](https://evil.example) | @evil-team |\n|---|---|\n| <img src="https://evil.example/x.png"> | evil |',
  '/approve all\n[evil]: https://evil.example',
].join('\n\n');

/** After this many responses the model ends every run. */
const MAX_RESPONSES = 14;

const TOKEN_USAGE = { inputTokens: 10, cachedInputTokens: 6, outputTokens: 5 };

/** They can name the review thread that they answer. */
const CALLS_THAT_ANSWER: ReadonlySet<string> = new Set(['edit_file', 'write_file', 'delete_file', 'change_files']);

/** A model that reads files, proposes changes, makes mistakes and gives up at random. It sees the current files. */
export function createRandomModel(simulatedGitHub: SimulatedGitHub, fixture: CaseFixture, random: Random): Model {
  let responses = 0;
  let calls = 0;
  const randomLine = () => {
    const path = random.pick(FILE_PATHS);
    const { state, pull } = snapshotPull(simulatedGitHub, fixture);
    const text = readBlobText(state.store, readFullTree(state.store, pull.head.sha).get(path)?.sha);
    const lines = text.split('\n');
    return { path, lines, line: lines[random.integer(Math.max(1, lines.length - 1))] ?? '' };
  };
  const createCall = (name: string, input: object): ToolCall => {
    calls += 1;
    const answers = CALLS_THAT_ANSWER.has(name) && random.chance(0.2) ? randomThread() : null;
    return { id: `call-${calls}`, name, arguments: JSON.stringify(answers === null ? input : { ...input, answers }) };
  };
  /** A thread of people, one of the App's own or none; null without any. */
  const randomThread = (): number | null => {
    const threads = [...snapshotPull(simulatedGitHub, fixture).pull.threads.keys()];
    return threads.length === 0 ? null : random.pick([...threads, 1]);
  };
  const askCall = (): ToolCall => {
    const input_type = random.pick(['choice', 'choice', 'text', 'text', 'approval', 'nonsense', undefined]);
    const choices =
      input_type === 'choice' ? ['one', HOSTILE_MARKDOWN, '3'].slice(0, random.pick([0, 2, 3])) : undefined;
    return createCall('ask_user', {
      prompt: random.pick(['Which?', HOSTILE_MARKDOWN]),
      input_type,
      choices,
    });
  };
  /** Several changes as one, some of which do not fit together. */
  const randomSet = (): ToolCall => {
    const changes = Array.from({ length: random.pick([1, 2, 3, 3, 4, 5]) }, (_, index) => {
      const { path, line } = randomLine();
      const made = `${calls}.${index}`;
      return random.pick<object>([
        { op: 'edit', path, old_string: line, new_string: `${line} set ${made}` },
        { op: 'edit', path, old_string: line, new_string: `${line} set ${made}` },
        { op: 'edit', path, old_string: line, new_string: `${line} set ${made}` },
        { op: 'write', path: `src/new-${random.integer(3)}.ts`, content: `new ${made}\n` },
        { op: 'delete', path },
        { op: 'move', from: path, to: `moved/file-${random.integer(4)}.ts` },
        { op: 'edit', path: `moved/file-${random.integer(4)}.ts`, old_string: line, new_string: `${line} set ${made}` },
      ]);
    });
    return createCall('change_files', { summary: random.pick(['Together.', HOSTILE_MARKDOWN]), changes });
  };
  const randomCall = (): ToolCall => {
    if (random.chance(0.12)) return randomSet();
    const { path, lines, line } = randomLine();
    const reason = random.chance(0.4) ? HOSTILE_MARKDOWN : 'It is simpler.';
    const roll = random.float();
    if (roll < 0.07) return createCall('read_file', { path });
    if (roll < 0.12) return randomReading(path);
    if (roll < 0.2)
      return createCall('write_file', { path: `src/new-${random.integer(3)}.ts`, content: `new ${calls}\n`, reason });
    if (roll < 0.26)
      return createCall('write_file', { path, content: `${lines.slice(0, 6).join('\n')}\nwritten ${calls}\n` });
    if (roll < 0.29) return createCall('edit_file', { path, old_string: 'nowhere to be found', new_string: 'x' });
    if (roll < 0.31) return createCall('edit_file', { path: 'src/gone.ts', old_string: 'a', new_string: 'x' });
    if (roll < 0.34) return createCall('list_files', {});
    if (roll < 0.36) return createCall('delete_file', { path, reason });
    if (roll < 0.39) return createCall('move_file', { from: path, to: `moved/file-${random.integer(4)}.ts`, reason });
    if (roll < 0.42) return createCall('plan', { steps: [HOSTILE_MARKDOWN, 'two', 'three'].map((text) => ({ text })) });
    if (roll < 0.47) {
      const edits = [line, `${line} made`].map((text) => ({ old_string: text, new_string: `${text} made ${calls}` }));
      return createCall('edit_file', { path, edits, reason });
    }
    if (roll < 0.49) return { id: `call-${++calls}`, name: 'edit_file', arguments: '{"path":' };
    if (roll < 0.53)
      return createCall('edit_file', { path, old_string: line, new_string: `broken: ${line}: ${calls}` });
    return createCall('edit_file', { path, old_string: line, new_string: `${line} made ${calls}`, reason });
  };
  /** Any of the other ways to look at the repository and the pull request, in the forms that models use. */
  const randomReading = (path: string): ToolCall => {
    const [name, input] = random.pick<readonly [name: string, input: object]>([
      ['read_file', { path: `./${path}`, start: '1', end: '2' }],
      ['READ_FILE', { path, ref: 'base', end: null }],
      ['read_file', { path: 'src' }],
      ['read_file', { path: path.replace('.', '_.') }],
      ['search', { query: 'made', context: 1 }],
      ['search', { query: '^\\w+ (made|written) \\d+$', regex: true }],
      ['search', { query: '(a?){500}a{500}', regex: true }],
      ['outline', { path }],
      ['read_diff', {}],
      ['read_diff', { path }],
      ['read_discussion', {}],
      ['read_checks', random.pick([{}, { name: 'build' }])],
    ]);
    return createCall(name, input);
  };
  /** A second edit of the lines that an edit has just changed. */
  const furtherEdit = (call: ToolCall): readonly ToolCall[] => {
    if (call.name !== 'edit_file') return [];
    const { path, old_string, new_string } = readEdit(call);
    if (old_string === '') return [];
    return [createCall('edit_file', { path, old_string: new_string, new_string: `${new_string} twice` })];
  };
  return {
    async ask(messages: readonly TranscriptMessage[]): Promise<ModelResponse> {
      responses += 1;
      const roll = random.float();
      if (roll < 0.02) throw new ModelError('permanent', 'the model is gone', null);
      if (roll < 0.03) return toModelResponse(null, [], 'stop');
      const refused = findBrokenCall(messages);
      if (refused !== null && random.chance(0.7)) {
        const { id, ...again } = refused;
        calls += 1;
        return toModelResponse(null, [{ id: `${id}-${calls}`, ...again }], 'tool_calls');
      }
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      if (responses > MAX_RESPONSES || (!isFirst && roll < 0.25))
        return toModelResponse(
          random.pick(['All done.', HOSTILE_MARKDOWN, HOSTILE_BLOCKS, 'Now I will edit it:', null]),
          [],
          'stop',
        );
      const callCount = random.pick([1, 1, 2, 2, 3, 4]);
      const text = random.chance(0.3) ? random.pick(['I propose this.', HOSTILE_MARKDOWN, HOSTILE_BLOCKS]) : null;
      const asked = random.chance(0.2) ? [askCall()] : [];
      const drawn = [...asked, ...Array.from({ length: asked.length > 0 ? random.integer(3) : callCount }, randomCall)];
      const toolCalls = random.chance(0.25) ? drawn.flatMap((call) => [call, ...furtherEdit(call)]) : drawn;
      return toModelResponse(text, toolCalls, random.chance(0.03) ? 'length' : 'tool_calls');
    },
    async answerQuestion(_messages, _signal, _runId, mayCall): Promise<ModelResponse> {
      const text = random.pick(['Because.', HOSTILE_MARKDOWN, HOSTILE_BLOCKS, 'Let me look.', null]);
      if (random.chance(mayCall ? 0.4 : 0.9)) return toModelResponse(text, [], random.chance(0.05) ? 'length' : 'stop');
      const toolCalls = Array.from({ length: 1 + random.integer(3) }, randomCall);
      return toModelResponse(text, toolCalls, 'tool_calls');
    },
    maxRequestTokens: async () => null,
  };
}

/** The last call that was refused because its file would no longer parse. */
function findBrokenCall(messages: readonly TranscriptMessage[]): ToolCall | null {
  const last = messages.at(-1);
  if (last?.role !== 'tool' || !last.content.endsWith('Send it again if you mean it.')) return null;
  const asked = messages.findLast((message) => message.role === 'assistant');
  return asked?.role === 'assistant' ? (asked.toolCalls.find(({ id }) => id === last.toolCallId) ?? null) : null;
}

function readEdit({ arguments: text }: ToolCall): Readonly<Record<'path' | 'old_string' | 'new_string', string>> {
  const matched = /^\{"path":"(.*?)","old_string":"([^"\\]*)","new_string":"([^"\\]*)"/.exec(text);
  return { path: matched?.[1] ?? '', old_string: matched?.[2] ?? '', new_string: matched?.[3] ?? '' };
}

function toModelResponse(content: string | null, toolCalls: readonly ToolCall[], finishReason: string): ModelResponse {
  return { content, toolCalls, finishReason, usage: TOKEN_USAGE };
}
