import { seesEveryPage } from './every-page';

seesEveryPage('tenant_admin', 20);
