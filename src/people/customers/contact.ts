import parsePhoneNumber from 'libphonenumber-js';
import type { CustomerProfile } from './customer';
import { international } from './identifiers';

/** How to reach a customer, as the record says it. */
export interface Contact {
  fullName?: string;
  email?: string;
  /** In E.164 where the country is known. */
  phones: { number: string; isMobile: boolean }[];
  addresses: PostalAddress[];
}

export interface PostalAddress {
  street?: string;
  number?: string;
  postCode?: string;
  town?: string;
  area?: string;
  country?: string;
}

/** What the documented record has of a person, where it says how to reach one. */
interface Person {
  fullName?: string;
  email?: string;
  telephoneNumbers?: { phoneType?: string; country?: string; number?: string }[];
  addresses?: {
    address?: {
      country?: string;
      area?: string;
      zipCode?: string;
      city?: string;
      street?: string;
      streetNumber?: string[];
    };
  }[];
}

export function contactOf(profile: CustomerProfile): Contact {
  const { fullName, email, telephoneNumbers = [], addresses = [] } = (profile.person ?? {}) as Person;
  return {
    fullName,
    email: email?.trim(),
    phones: telephoneNumbers
      .filter(({ number }) => number)
      .map(({ phoneType, country, number }) => ({
        number: international(number!, country),
        isMobile: phoneType === 'mobile',
      })),
    addresses: addresses.map(({ address = {} }) => {
      const { street, streetNumber = [], zipCode, city, area, country } = address;
      return { street, number: streetNumber.join(', '), postCode: zipCode, town: city, area, country };
    }),
  };
}

/** `+351-212345678`: the country's code apart. Undefined for a number whose country nobody knows. */
export function phoneWithCountry(number: string | undefined): string | undefined {
  const parsed = number === undefined ? undefined : parsePhoneNumber(number);
  return parsed && `+${parsed.countryCallingCode}-${parsed.nationalNumber}`;
}
