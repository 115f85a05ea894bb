import { type FakeGitHub, startFakeGitHub } from '../../../fakes/github/fake-github.ts';
import type { EnterpriseServer } from '../../../fakes/github/state/github-state.ts';
import { type ScriptedModel, startScriptedModel } from '../../../fakes/model/scripted-model.ts';
import { openApiValidator } from '../../support/openapi-validator.ts';

/** The surroundings of the App: a fake GitHub with its validator, and a fake model. */
export type Scenery = { readonly github: FakeGitHub; readonly model: ScriptedModel };

export async function openScenery(now: () => number, enterpriseServer?: EnterpriseServer): Promise<Scenery> {
  const webhookSecret = 'the secret of the stories';
  const github = await startFakeGitHub({
    now,
    openApiValidator,
    webhookSecret,
    ...(enterpriseServer === undefined ? {} : { enterpriseServer }),
  });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.setFallback({ content: 'All done.' });
  return { github, model };
}
