"""The fixed parts of the C file; PREFIX_ stands for the beginning of its names."""

HEAD = """\
/* A decision diagram written by oddlearn, in C99: no allocation, nothing to link.

   A row is an array of PREFIX_N_FEATURES numbers, in the order of PREFIX_feature_name(0), ...; a name such
   as "colour = red" stands for 1 where the column holds that category, else 0.

   PREFIX_predict returns the class, counted from 0, whose text is PREFIX_class_label(class).
   PREFIX_predict_proba writes PREFIX_N_CLASSES probabilities and returns the class as well.
   Both return -1, and write nothing, when a number they look at is a NaN: fill in missing values first.

   Compile without -ffast-math and the like: where a row lies exactly on a threshold, the class depends on
   the rounding of each sum. */

int PREFIX_predict(const double *x);
int PREFIX_predict_proba(const double *x, double *probability);
const char *PREFIX_class_label(int code);
const char *PREFIX_feature_name(int feature);

"""

UNIVARIATE_KEY = """
/* the number that a node compares with its threshold */
static double PREFIX_key(const double *x, int node)
{
    return x[PREFIX_node_feature[node]];
}
"""

MULTIVARIATE_KEY = """
/* the number that a node compares with its threshold: a sum, one term after the other */
static double PREFIX_key(const double *x, int node)
{
    double total = 0.0;
    int term;
    for (term = PREFIX_first_term[node]; term < PREFIX_first_term[node + 1]; ++term) {
        /* volatile: no compiler may fuse the product with the sum, which would round differently */
        volatile double product = PREFIX_term_weight[term] * x[PREFIX_term_feature[term]];
        total += product;
    }
    return total;
}
"""

END = """
/* the end a row arrives at, -1 after a NaN; a state is a node, or N_NODES + end */
static int PREFIX_end(const double *x)
{
    int state = 0;
    while (state < PREFIX_N_NODES) {
        const double key = PREFIX_key(x, state);
        if (key != key)
            return -1;
        state = PREFIX_child[state][key >= PREFIX_threshold[state]];
    }
    return state - PREFIX_N_NODES;
}
"""

CONSTANT_END = """
/* the only end there is */
static int PREFIX_end(const double *x)
{
    (void)x;
    return 0;
}
"""

FUNCTIONS = """
int PREFIX_predict(const double *x)
{
    const int end = PREFIX_end(x);
    return end < 0 ? -1 : PREFIX_end_class[end];
}

int PREFIX_predict_proba(const double *x, double *probability)
{
    const int end = PREFIX_end(x);
    int code;
    if (end < 0)
        return -1;
    for (code = 0; code < PREFIX_N_CLASSES; ++code)
        probability[code] = PREFIX_end_probability[end][code];
    return PREFIX_end_class[end];
}

const char *PREFIX_class_label(int code)
{
    return code >= 0 && code < PREFIX_N_CLASSES ? PREFIX_label[code] : "";
}

const char *PREFIX_feature_name(int feature)
{
    return feature >= 0 && feature < PREFIX_N_FEATURES ? PREFIX_name[feature] : "";
}
"""
