#include "checks/support/property.hpp"
namespace heed::checks {
#define S(f) std::vector<Property> f##_properties() { return {}; }
S(loss) S(moment) S(mha_grad) S(mha_hessian) S(identities) S(mha_model) S(mpfi) S(hessian_structure) S(eigenvalue_enclosure) S(elementary)
}
