import { readBlobText } from '../../../fakes/github/git/objects.ts';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { type Model, ModelError } from '../../../src/core/state/ports.ts';
import { type CaseFixture, FILE_PATHS } from './fixture.ts';
import type { Random } from './random.ts';
import { readFullTree, type SimulatedGitHub, snapshotPull } from './simulated-github.ts';

/** Text that would be active Markdown or HTML on GitHub if it were not escaped. */
export const HOSTILE_MARKDOWN =
  '@evil-team <img src="https://evil.example/x.png"> ![x](https://evil.example/y.png) [here](https://evil.example) closes #1';

/** After this many responses the model ends every run. */
const MAX_RESPONSES = 14;

const TOKEN_USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };

/** A model that reads files, proposes changes, makes mistakes and gives up at random. It sees the current files. */
export function createRandomModel(simulatedGitHub: SimulatedGitHub, fixture: CaseFixture, random: Random): Model {
  let responses = 0;
  let calls = 0;
  const textOf = (path: string): string => {
    const { state, pull } = snapshotPull(simulatedGitHub, fixture);
    return readBlobText(state.store, readFullTree(state.store, pull.head.sha).get(path)?.sha);
  };
  const createCall = (name: string, input: object): ToolCall => {
    calls += 1;
    return { id: `call-${calls}`, name, arguments: JSON.stringify(input) };
  };
  const randomCall = (): ToolCall => {
    const path = random.pick(FILE_PATHS);
    const lines = textOf(path).split('\n');
    const line = lines[random.integer(Math.max(1, lines.length - 1))] ?? '';
    const reason = random.chance(0.4) ? HOSTILE_MARKDOWN : 'It is simpler.';
    const roll = random.float();
    if (roll < 0.12) return createCall('read_file', { path });
    if (roll < 0.2)
      return createCall('write_file', { path: `src/new-${random.integer(3)}.ts`, content: `new ${calls}\n`, reason });
    if (roll < 0.26)
      return createCall('write_file', { path, content: `${lines.slice(0, 6).join('\n')}\nwritten ${calls}\n` });
    if (roll < 0.29) return createCall('edit_file', { path, old_string: 'nowhere to be found', new_string: 'x' });
    if (roll < 0.31) return createCall('edit_file', { path: 'src/gone.ts', old_string: 'a', new_string: 'x' });
    if (roll < 0.34) return createCall('list_files', {});
    if (roll < 0.36) return createCall('delete_file', { path, reason });
    if (roll < 0.39) return createCall('move_file', { from: path, to: `moved/file-${random.integer(4)}.ts`, reason });
    if (roll < 0.41) return { id: `call-${++calls}`, name: 'edit_file', arguments: '{"path":' };
    return createCall('edit_file', { path, old_string: line, new_string: `${line} made ${calls}`, reason });
  };
  return {
    async ask(messages: readonly TranscriptMessage[]): Promise<ModelResponse> {
      responses += 1;
      const roll = random.float();
      if (roll < 0.02) throw new ModelError('permanent', 'the model is gone', null);
      if (roll < 0.03) return toModelResponse(null, [], 'stop');
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      if (responses > MAX_RESPONSES || (!isFirst && roll < 0.25))
        return toModelResponse(random.pick(['All done.', HOSTILE_MARKDOWN]), [], 'stop');
      const callCount = random.pick([1, 1, 2, 2, 3, 4]);
      const text = random.chance(0.3) ? random.pick(['I propose this.', HOSTILE_MARKDOWN]) : null;
      return toModelResponse(text, Array.from({ length: callCount }, randomCall), 'tool_calls');
    },
    async askForText(): Promise<ModelResponse> {
      return toModelResponse(random.pick(['Because.', HOSTILE_MARKDOWN]), [], 'stop');
    },
  };
}

function toModelResponse(content: string | null, toolCalls: readonly ToolCall[], finishReason: string): ModelResponse {
  return { content, toolCalls, finishReason, usage: TOKEN_USAGE };
}
