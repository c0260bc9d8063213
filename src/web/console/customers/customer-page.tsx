import { Box, Tab, Tabs } from '@mui/material';
import type { ComponentType } from 'react';
import { usePermissions, useTranslate } from 'react-admin';
import { useSearchParams } from 'react-router';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ActivityTab } from './activity-tab';
import { CUSTOMER_TONES, type Customer } from './customer';
import { CustomerActs } from './customer-acts';
import { RecordTab } from './record-tab';
import { SecurityTab } from './security-tab';
import { WalletTab } from './wallet-tab';

const TABS: Record<string, ComponentType<{ customer: Customer; canChange: boolean }>> = {
  record: RecordTab,
  wallet: WalletTab,
  activity: ActivityTab,
  security: SecurityTab,
};

/** One customer. What is shown of it stands in the address, so that it can be sent to a colleague. */
export default function CustomerPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('show') ?? 'record';
  const tab = asked in TABS ? asked : 'record';
  const Shown = TABS[tab]!;
  // Operators look; what is done is the tenant's.
  const canChange = person?.role === 'tenant_admin';
  return (
    <RecordPage<Customer>
      titleOf={({ customerName, customerId }) => customerName ?? customerId}
      markOf={({ customerStatus = 'new' }) => <Status value={customerStatus} tone={CUSTOMER_TONES[customerStatus]} />}
      actsOf={(customer) => canChange && <CustomerActs customer={customer} />}
    >
      {(customer) => (
        <>
          <Tabs
            value={tab}
            onChange={(_, to: string) => setSearch({ show: to }, { replace: true })}
            variant="scrollable"
            allowScrollButtonsMobile
            aria-label={translate('customers.parts')}
            sx={{ mb: 2 }}
          >
            {Object.keys(TABS).map((name) => (
              <Tab
                key={name}
                value={name}
                label={translate(`customers.tabs.${name}`)}
                id={`tab-${name}`}
                aria-controls={name === tab ? `panel-${name}` : undefined}
              />
            ))}
          </Tabs>
          <Box role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
            <Shown customer={customer} canChange={canChange} />
          </Box>
        </>
      )}
    </RecordPage>
  );
}
