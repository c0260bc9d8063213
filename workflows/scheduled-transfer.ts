import { defineSearchAttributeKey } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type { ScheduledTransferInput, ScheduledTransferView } from '../src/domain/flows';
import { evenWhenCancelled, tell } from './flow';
import { local } from './options';

/** When a schedule's run was due, as the engine says it: the same at every try, however late it runs. */
const DUE_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

/** One transfer of a schedule. What has to wait then has a flow of its own. */
export function scheduledTransfer(input: ScheduledTransferInput): Promise<ScheduledTransferView> {
  return evenWhenCancelled(async () => {
    const { typedSearchAttributes, startTime } = workflowInfo();
    const dueAt = typedSearchAttributes.get(DUE_AT) ?? startTime;
    const view = await local.makeScheduledTransfer(input, dueAt.getTime());
    tell(view.status, 'nobody', `**${view.status}**: ${view.detail} Nothing more will happen here.`);
    return view;
  });
}
