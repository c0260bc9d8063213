import type { Knex } from 'knex';
import { contactOf, type PostalAddress, phoneWithCountry } from '../../people/customers/contact';
import type { CustomerRow, ProfileSeal } from '../../people/customers/customer';
import { holderName } from '../account-holder';
import type { Access } from './access';
import { atMost } from './present';

/** A customer as the standard shows one (OBParty2). */
export interface PartyInformation {
  PartyId: string;
  PartyType: 'Sole';
  Name?: string;
  FullLegalName?: string;
  LegalStructure?: 'UK.OBIE.Individual';
  /** Of an account. */
  AccountRole?: 'UK.OBIE.Principal';
  EmailAddress?: string;
  Phone?: string;
  Mobile?: string;
  Address?: PartyAddress[];
}

interface PartyAddress {
  StreetName?: string;
  BuildingNumber?: string;
  PostCode?: string;
  TownName?: string;
  CountrySubDivision?: string;
  Country: string;
}

/**
 * The customer whose accounts these are: each account here has one owner, who is also the one that has authorised the
 * consent. Members that the record lacks, or has in a form that the standard has no room for, are left out.
 */
export async function readParty(
  trx: Knex.Transaction,
  profiles: ProfileSeal,
  { customerId }: Access,
): Promise<PartyInformation> {
  const customer: CustomerRow = await trx('customers').where({ id: customerId }).first();
  const party = { PartyId: customerId, PartyType: 'Sole' } as const;
  const name = holderName(profiles, customer);
  if (name === undefined) return party;
  const { fullName, email, phones, addresses } = contactOf(profiles.open(customer));
  const phoneOf = (isMobile: boolean) => phones.find((one) => one.isMobile === isMobile)?.number;
  return withoutAbsent({
    ...party,
    Name: name,
    FullLegalName: atMost(fullName, 350),
    LegalStructure: customer.customer_type === 'Person' ? ('UK.OBIE.Individual' as const) : undefined,
    EmailAddress: email || undefined,
    Phone: phoneWithCountry(phoneOf(false)),
    Mobile: phoneWithCountry(phoneOf(true)),
    Address: addressesOf(addresses),
  });
}

/** The standard wants an address to say its country, as ISO 3166-1 does. */
function addressesOf(addresses: PostalAddress[]): PartyAddress[] | undefined {
  const shown = addresses
    .filter(({ country }) => /^[A-Z]{2}$/.test(country ?? ''))
    .map(({ street, number, postCode, town, area, country }) =>
      withoutAbsent({
        StreetName: atMost(street, 70),
        BuildingNumber: atMost(number, 16),
        PostCode: atMost(postCode, 16),
        TownName: atMost(town, 35),
        CountrySubDivision: atMost(area, 35),
        Country: country!,
      }),
    );
  return shown.length > 0 ? shown : undefined;
}

function withoutAbsent<Members extends object>(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}
