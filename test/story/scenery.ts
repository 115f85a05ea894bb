import { readFileSync } from 'node:fs';
import { type ScriptedModel, startScriptedModel } from '../../src/simulator/model/scripted-model.ts';
import { createReferee } from '../../src/simulator/referee/referee.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { parseJson } from '../../src/trust.ts';

const fixture = parseJson(readFileSync(new URL('../fixtures/openapi/github.json', import.meta.url), 'utf8'));

/** One for all stages of a worker: its schemas take seconds to compile. */
const referee = createReferee(fixture);

/** What the App plays in front of: GitHub under its referee's eyes, and a model. */
export type Scenery = { readonly github: Simulator; readonly model: ScriptedModel };

export async function openScenery(now: () => number): Promise<Scenery> {
  const webhookSecret = 'the secret of the stories';
  const github = await startSimulator({ now, referee, webhookSecret });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.otherwise({ content: 'All done.' });
  return { github, model };
}

/** The variables that point the App at a scenery; it listens on any free port. */
export function environmentIn({ github, model }: Scenery): Readonly<Record<string, string>> {
  return {
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKeyPem,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: 'http',
    PORT: '0',
    HOST: '127.0.0.1',
    OPENAI_MODEL: 'scripted',
    OPENAI_API_KEY: 'model-key',
    OPENAI_BASE_URL: model.url,
    ALLOWED_OWNERS: '*',
  };
}
