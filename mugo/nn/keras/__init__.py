"""Networks with Keras, to train them.  In reading order:

    backend        imports Keras; the only module that does
    model          a network as a Keras model, and MuGo's own layers
    equivariance   group convolutions by tied weights
    optimizers     Muon and Adam; the learning-rate schedule; the averaged model
    losses         losses, metrics, and the compilation of a model with them
    devices        several devices, several processes, and Ctrl-C between two steps
    checkpoint     networks and training runs as files; initialising a network from another
"""
