import { Box } from '@mui/material';
import { OperatorAct } from './operator-act';
import { type Intervention, onProposal } from './work';

/** Confirms or withdraws what another operator has proposed. */
export function InterventionActs({ row, onDone }: { row: Intervention; onDone: () => void }) {
  if (row.status !== 'proposed') return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, my: 1 }}>
      {onProposal(`/ops/1.0.0/interventions/${row.interventionId}`).map((offered) => (
        <OperatorAct
          key={offered.act}
          offered={offered}
          about={row.objectId}
          amount={row.amount}
          currency={row.currency}
          onDone={onDone}
        />
      ))}
    </Box>
  );
}
